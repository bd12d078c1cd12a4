// C11: sums over a block. Integers, so that each thread may take any pixels.

const u32 QUAD = 4;             // sums that a warp adds up together
const u32 GREATEST_QUADS = 3;

// Sums of each warp.
typedef Array<i64, GREATEST_QUADS * TRACK_WARPS * QUAD> Partial;

// Four sums over the warp, one of them in each lane: that of number lane / 8. A lane brings sums over at most 8 pixels,
// each at most 2^26, so that those of four lanes fit 32 bits. Each of the first two steps halves what a lane has left.
__device__ i64 quad_totals(i32 a, i32 b, i32 c, i32 d) {
    const bool upper = (threadIdx.x & 16) != 0, odd = (threadIdx.x & 8) != 0;
    const i32 first = (upper ? c : a) + __shfl_xor_sync(ALL_LANES, upper ? a : c, 16);
    const i32 second = (upper ? d : b) + __shfl_xor_sync(ALL_LANES, upper ? b : d, 16);
    u64 sum = u64(i64((odd ? second : first) + __shfl_xor_sync(ALL_LANES, odd ? first : second, 8)));
    #pragma unroll
    for (u32 step = 4; step > 0; step /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, step);
    return i64(sum);
}

// Leaves the warp's totals for the others.
__device__ void keep_quad(u32 quad, i32 a, i32 b, i32 c, i32 d, Partial& partial) {
    const i64 total = quad_totals(a, b, c, d);
    const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    if (lane % 8 == 0) partial[(quad * TRACK_WARPS + warp) * QUAD + lane / 8] = total;
}

// Sum number `i` of a quad over the block.
__device__ i64 block_total(u32 quad, u32 i, Partial& partial) {
    i64 sum = 0;
    #pragma unroll
    for (u32 warp = 0; warp < TRACK_WARPS; ++warp) sum += partial[(quad * TRACK_WARPS + warp) * QUAD + i];
    return sum;
}
