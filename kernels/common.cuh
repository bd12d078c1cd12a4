// What all kernels share: the block's shape, checked arrays, sums over warp and block, the barrier of the grid.
// NVRTC 10.2 (C++14, no includes) and the emulation (tests/emulation) both read this.

const u32 BLOCK = 256;
const u32 WARP = 32;
const u32 WARPS = BLOCK / WARP;
const u32 ALL_LANES = 0xFFFFFFFFu;

#ifndef VIO_EMULATED
#define SHARED(type, name) __shared__ type name
#define CHECK_INDEX(index, count)

// Adds to a counter that other blocks watch, after all that this thread has seen; looks at such a counter; and orders
// what follows behind what was seen there. Looking alone orders nothing: that would empty the cache each time.
#if __CUDA_ARCH__ >= 700
__device__ u32 add_released(u32* counter, u32 value) {
    u32 before;
    asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], %2;" : "=r"(before) : "l"(counter), "r"(value) : "memory");
    return before;
}
__device__ u32 watched(const u32* counter) {
    u32 value;
    asm volatile("nanosleep.u32 64; ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
    return value;
}
__device__ void acquire() { asm volatile("fence.acq_rel.gpu;" : : : "memory"); }
#else
__device__ u32 add_released(u32* counter, u32 value) {
    __threadfence();
    return atomicAdd(counter, value);
}
__device__ u32 watched(const u32* counter) { return *const_cast<const volatile u32*>(counter); }
__device__ void acquire() { __threadfence(); }
#endif

// All blocks of the grid meet; they must be resident together. Memory written before is seen after. The last one to
// come turns the highest bit over: the first block adds what the others lack to 2^31.
__device__ void grid_barrier(u32* state) {
    __syncthreads();
    if (threadIdx.x == 0) {
        const u32 turn = 0x80000000u;
        const u32 before = add_released(state, blockIdx.x == 0 ? turn - (gridDim.x - 1) : 1);
        #pragma unroll 1
        while (((watched(state) ^ before) & turn) == 0) {}
        acquire();
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

// Four bytes of an array from index `at` on, a multiple of four; the array is aligned.
template <u32 N>
__device__ u32& word_of(Array<u8, N>& bytes, u32 at) {
    CHECK_INDEX(at + 3, N);
    return *reinterpret_cast<u32*>(&bytes[at]);
}

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

// Pixels from one row of a pyramid level to the next.
__device__ u32 level_pitch(u32 width) { return (width + 15) & ~15u; }

// Number of a warp among all of the grid: the first warps of all blocks, then the second ones. So little work spreads
// over all multiprocessors.
__device__ u32 grid_warp() { return threadIdx.x / WARP * gridDim.x + blockIdx.x; }
__device__ u32 grid_warps() { return gridDim.x * WARPS; }
// Number of a thread in that order, and how many there are.
__device__ u32 grid_thread() { return grid_warp() * WARP + threadIdx.x % WARP; }
__device__ u32 grid_threads() { return gridDim.x * BLOCK; }

__device__ u32 least(u32 a, u32 b) { return a < b ? a : b; }
__device__ u32 most(u32 a, u32 b) { return a < b ? b : a; }
__device__ i32 least(i32 a, i32 b) { return a < b ? a : b; }
__device__ i32 most(i32 a, i32 b) { return a < b ? b : a; }
// The lesser of two, or the greater.
template <bool LEAST>
__device__ i32 lesser(i32 a, i32 b) { return LEAST ? least(a, b) : most(a, b); }
__device__ i32 magnitude(i32 a) { return a < 0 ? -a : a; }
__device__ u32 rounded_up(u32 value, u32 step) { return (value + step - 1) / step; } // steps that cover value
