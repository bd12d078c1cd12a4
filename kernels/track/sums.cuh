// C11: sums over a block. Integers, so that each thread may take any pixels.

const u32 GREATEST_GRADIENT = 4080; // 16 * 255
const u32 GREATEST_SUMS = 36, GREATEST_WIDE = 13; // of 32 and 64 bits

// Sums of each warp, those of a number beside each other.
struct Partial {
    alignas(16) Array<i32, GREATEST_SUMS * TRACK_WARPS> sums;
    alignas(16) Array<i64, GREATEST_WIDE * TRACK_WARPS> wide;
};

// One step towards the sums of N numbers over the warp, N a power of two: a lane keeps HALF of twice as many, to which
// the lane HALF * (32 / N) from it adds its own. After all steps, from N / 2 down to 1, the 32 / N lanes from
// number * 32 / N on have parts of that sum.
template <u32 HALF, u32 N>
__device__ void halve_sums(i32 (&values)[N]) {
    const u32 step = HALF * (WARP / N);
    const bool upper = (threadIdx.x & step) != 0;
    #pragma unroll
    for (u32 k = 0; k < HALF; ++k) {
        const i32 first = values[k], second = values[k + HALF];
        values[k] = (upper ? second : first) + __shfl_xor_sync(ALL_LANES, upper ? first : second, step);
    }
}

__device__ u64 warp_total(u64 value) {
    #pragma unroll
    for (u32 step = WARP / 2; step > 0; step /= 2) value += __shfl_xor_sync(ALL_LANES, value, step);
    return value;
}

// Leaves the first COUNT of the warp's sums for block_total, from number `first` on. They must fit 32 bits.
template <u32 COUNT>
__device__ void keep_sums(i32 (&values)[8], u32 first, Partial& partial) {
    const u32 lane = anew(threadIdx.x) % WARP, lanes = WARP / 8;
    halve_sums<4>(values);
    halve_sums<2>(values);
    halve_sums<1>(values);
    i32 sum = values[0] + __shfl_xor_sync(ALL_LANES, values[0], 2);
    sum += __shfl_xor_sync(ALL_LANES, sum, 1);
    const u32 number = lane / lanes;
    if (lane % lanes == 0 && number < COUNT) partial.sums[(first + number) * TRACK_WARPS + threadIdx.x / WARP] = sum;
}

// Leaves sums for wide_total. Those of half a warp, with two runs a thread, must fit 32 bits.
__device__ void keep_wide_sums(i32 (&values)[16], Partial& partial) {
    const u32 lane = anew(threadIdx.x) % WARP;
    halve_sums<8>(values);
    halve_sums<4>(values);
    halve_sums<2>(values);
    halve_sums<1>(values);
    static_assert(u64(WARP / 2) * 2 * RUN * GREATEST_GRADIENT * GREATEST_GRADIENT < 1ull << 31, "half a warp's sums");
    const u32 number = lane / 2;
    const i32 sum = values[0], other = __shfl_xor_sync(ALL_LANES, sum, 1);
    if (lane % 2 == 0 && number < GREATEST_WIDE)
        partial.wide[number * TRACK_WARPS + threadIdx.x / WARP] = i64(sum) + other;
}

// The same for one sum of 64 bits.
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

// The sum of a lane's number.
__device__ i64 lane_total(Partial& partial) {
    const u32 lane = anew(threadIdx.x) % WARP;
    return lane < GREATEST_WIDE ? wide_total(lane, partial) : 0;
}
