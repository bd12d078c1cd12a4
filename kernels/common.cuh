// What all kernels share: the block's shape, checked arrays, sums over warp and block, the barrier of the grid.
// NVRTC 10.2 (C++14, no includes) and the emulation (tests/emulation) both read this.

const u32 BLOCK = 256;
const u32 WARP = 32;
const u32 WARPS = BLOCK / WARP;
const u32 ALL_LANES = 0xFFFFFFFFu;

#ifndef VIO_EMULATED
#define SHARED(type, name) __shared__ type name
#define CHECK_INDEX(index, count)

// All blocks of the grid meet; they must be resident together. Memory written before is seen after.
__device__ void grid_barrier(u32* state) {
    __syncthreads();
    if (threadIdx.x == 0) {
        volatile u32* generation = state + 1;
        const u32 before = *generation;
        __threadfence();
        if (atomicAdd(state, 1u) == gridDim.x - 1) {
            *state = 0;
            __threadfence();
            *generation = before + 1;
        } else {
            #pragma unroll 1
            while (*generation == before) {}
        }
        __threadfence();
    }
    __syncthreads();
}
#else
#define CHECK_INDEX(index, count) \
    if ((index) >= (count)) emulation_fail("index %u of %u", unsigned(index), unsigned(count))
#endif

// An array whose bounds the emulation checks.
template <typename T, u32 N>
struct Array {
    T items[N];
    __device__ T& operator[](u32 index) {
        CHECK_INDEX(index, N);
        return items[index];
    }
};

typedef Array<u32, WARPS> WarpSums;

__device__ u32 warp_sum(u32 value) {
    for (u32 step = WARP / 2; step > 0; step /= 2) value += __shfl_xor_sync(ALL_LANES, value, step);
    return value;
}

// Sum over the threads up to this one. All threads of the block call it.
__device__ u32 block_inclusive_sum(u32 value, WarpSums& sums) {
    const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    for (u32 step = 1; step < WARP; step *= 2) {
        const u32 before = __shfl_up_sync(ALL_LANES, value, step);
        if (lane >= step) value += before;
    }
    __syncthreads(); // the sums of the call before have been read
    if (lane == WARP - 1) sums[warp] = value;
    __syncthreads();
    for (u32 w = 0; w < warp; ++w) value += sums[w];
    return value;
}

// Sum over the block, for all of its threads. All threads of the block call it.
__device__ u32 block_sum(u32 value, WarpSums& sums) {
    value = warp_sum(value);
    __syncthreads();
    if (threadIdx.x % WARP == 0) sums[threadIdx.x / WARP] = value;
    __syncthreads();
    u32 total = 0;
    for (u32 w = 0; w < WARPS; ++w) total += sums[w];
    return total;
}

__device__ u32 block_max(u32 value, WarpSums& sums) {
    for (u32 step = WARP / 2; step > 0; step /= 2) {
        const u32 other = __shfl_xor_sync(ALL_LANES, value, step);
        value = value < other ? other : value;
    }
    __syncthreads();
    if (threadIdx.x % WARP == 0) sums[threadIdx.x / WARP] = value;
    __syncthreads();
    u32 greatest = 0;
    for (u32 w = 0; w < WARPS; ++w) greatest = greatest < sums[w] ? sums[w] : greatest;
    return greatest;
}

// Pixels from one row of a pyramid level to the next.
__device__ u32 level_pitch(u32 width) { return (width + 15) & ~15u; }

// Index among all threads of the grid, and their number.
__device__ u32 grid_thread() { return blockIdx.x * BLOCK + threadIdx.x; }
__device__ u32 grid_threads() { return gridDim.x * BLOCK; }

__device__ u32 least(u32 a, u32 b) { return a < b ? a : b; }
__device__ u32 most(u32 a, u32 b) { return a < b ? b : a; }
__device__ i32 least(i32 a, i32 b) { return a < b ? a : b; }
__device__ i32 most(i32 a, i32 b) { return a < b ? b : a; }
__device__ i32 magnitude(i32 a) { return a < 0 ? -a : a; }
__device__ u32 rounded_up(u32 value, u32 step) { return (value + step - 1) / step; } // steps that cover value
