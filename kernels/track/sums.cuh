// C11: sums over a block. Integers, so that each thread may take any pixels.

const u32 GREATEST_SUMS = 24, GREATEST_WIDE = 3; // of 32 and 64 bits

// Sums of each warp, those of a number beside each other.
struct Partial {
    alignas(16) Array<i32, GREATEST_SUMS * TRACK_WARPS> sums;
    Array<i64, GREATEST_WIDE * TRACK_WARPS> wide;
};

// N sums over the warp, N a power of two up to 16, which must fit 32 bits. A lane has that of number lane / (32 / N): each
// of the first steps halves what a lane has left to add.
template <u32 N>
__device__ i32 warp_sums(i32 (&values)[N]) {
    u32 step = WARP / 2;
    #pragma unroll
    for (u32 half = N / 2; half > 0; half /= 2, step /= 2) {
        const bool upper = (threadIdx.x & step) != 0;
        #pragma unroll
        for (u32 k = 0; k < half; ++k) {
            const i32 kept = upper ? values[k + half] : values[k], given = upper ? values[k] : values[k + half];
            values[k] = kept + __shfl_xor_sync(ALL_LANES, given, step);
        }
    }
    i32 sum = values[0];
    #pragma unroll
    for (; step > 0; step /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, step);
    return sum;
}

// Leaves the warp's sums for block_total, from number `first` on.
template <u32 N>
__device__ void keep_sums(i32 (&values)[N], u32 first, Partial& partial) {
    const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const i32 sum = warp_sums(values);
    if (lane % (WARP / N) == 0) partial.sums[(first + lane / (WARP / N)) * TRACK_WARPS + warp] = sum;
}

__device__ u64 warp_total(u64 value) {
    #pragma unroll
    for (u32 step = WARP / 2; step > 0; step /= 2) value += __shfl_xor_sync(ALL_LANES, value, step);
    return value;
}

// The same for a sum that needs 64 bits, for wide_total.
__device__ void keep_wide(i64 value, u32 number, Partial& partial) {
    const u64 sum = warp_total(u64(value));
    if (threadIdx.x % WARP == 0) partial.wide[number * TRACK_WARPS + threadIdx.x / WARP] = i64(sum);
}

// Sum of that number over the block, once all have kept theirs.
__device__ i32 block_total(u32 number, Partial& partial) {
    struct alignas(16) Four {
        i32 a, b, c, d;
    };
    static_assert(TRACK_WARPS == 4, "one read");
    CHECK_INDEX(number, GREATEST_SUMS);
    const Four four = reinterpret_cast<const Four*>(&partial.sums[0])[number];
    return (four.a + four.b) + (four.c + four.d);
}

__device__ i64 wide_total(u32 number, Partial& partial) {
    i64 sum = 0;
    #pragma unroll
    for (u32 warp = 0; warp < TRACK_WARPS; ++warp) sum += partial.wide[number * TRACK_WARPS + warp];
    return sum;
}
