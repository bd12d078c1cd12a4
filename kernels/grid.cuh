// All blocks of a grid together: how work is dealt to them, and how they meet.

// Number of a warp among all of the grid: the first warps of all blocks, then the second ones. So little work spreads
// over all multiprocessors.
__device__ u32 grid_warp() { return threadIdx.x / WARP * gridDim.x + blockIdx.x; }
__device__ u32 grid_warps() { return gridDim.x * WARPS; }
// Number of a thread in that order, and how many there are.
__device__ u32 grid_thread() { return grid_warp() * WARP + threadIdx.x % WARP; }
__device__ u32 grid_threads() { return gridDim.x * BLOCK; }

// Adds to a counter that other blocks watch, after all that this thread has seen; looks at such a counter; and orders
// what follows behind what was seen there. Looking alone orders nothing: that would empty the cache each time.
#if !defined(VIO_EMULATED) && __CUDA_ARCH__ >= 700
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

#ifndef VIO_EMULATED
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
#endif
