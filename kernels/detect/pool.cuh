// C8: the pool, the strongest candidates of the frame, from which the cells are served. What decides for all cells,
// each block that has cells works out for itself.

struct PoolShared {
    Array<u32, ORDER_BINS> starts; // candidates in the bins before each
    u32 last_bin;                  // of the pool
};

// Scans the bins of all candidates. Block 0 says where each begins, and tells the header how many there are.
__device__ void find_pool(const DetectArgs& args, PoolShared& pool, WarpSums& sums) {
    const u32 each = ORDER_BINS / BLOCK, first = threadIdx.x * each;
    const u32 wanted = (3 * args.target + 1) / 2;
    u32 counts[each], own = 0;
    #pragma unroll
    for (u32 i = 0; i < each; ++i) own += counts[i] = args.pool_bins[first + i];
    if (threadIdx.x == 0) pool.last_bin = ORDER_BINS - 1;
    const u32 up_to_own = block_inclusive_sum(own, sums); // it synchronises
    u32 before = up_to_own - own;
    #pragma unroll
    for (u32 i = 0; i < each; ++i) {
        pool.starts[first + i] = before;
        if (blockIdx.x == 0) args.bin_starts[first + i] = before;
        if (before < wanted && before + counts[i] >= wanted) pool.last_bin = first + i;
        before += counts[i];
    }
    if (blockIdx.x == 0 && threadIdx.x == CLASS_BINS / each - 1) args.header->offered_class0 = up_to_own;
    if (blockIdx.x == 0 && threadIdx.x == BLOCK - 1) {
        args.header->offered = up_to_own;
        args.totals[TOTAL_COUNT] = least(args.target, up_to_own);
    }
    __syncthreads();
}

// Counts the pool in each of this block's cells.
__device__ void count_pool(const DetectArgs& args, PoolShared& pool, WarpSums& sums) {
    for (u32 cell = blockIdx.x; cell < args.grid_x * args.grid_y; cell += gridDim.x) {
        const Candidate* list = args.candidates + cell * args.cell_capacity;
        const u32 count = args.cell_counts[cell];
        u32 class0 = 0, all = 0;
        for (u32 i = threadIdx.x; i < count; i += BLOCK) {
            const u64 key = list[i].key;
            if (order_bin(key) > pool.last_bin) continue;
            all += 1;
            class0 += key_class(key) == 0 ? 1 : 0;
        }
        all = block_sum(all, sums);
        class0 = block_sum(class0, sums);
        if (threadIdx.x == 0) {
            args.cell_all[cell] = all;
            args.cell_class0[cell] = class0;
        }
    }
}
