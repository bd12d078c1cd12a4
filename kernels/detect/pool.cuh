// C8: the pool, the strongest candidates of the frame, from which the cells are served. What decides for all of them
// each block works out for itself.

struct PoolShared {
    Array<u32, ORDER_BINS> starts; // candidates in the bins before each; at last, features
    u64 last_key;                  // the pool is what has no greater one
    u32 offered, offered_class0;   // candidates of both classes, of class 0
};

// Scans the bins of all candidates. Block 0 says where each begins.
__device__ void find_pool(const DetectArgs& args, PoolShared& pool, WarpSums& sums) {
    const u32 each = ORDER_BINS / BLOCK, first = threadIdx.x * each;
    const u32 wanted = (3 * args.target + 1) / 2;
    u32 counts[each], own = 0;
    #pragma unroll
    for (u32 i = 0; i < each; ++i) own += counts[i] = args.pool_bins[first + i];
    const u32 up_to_own = block_inclusive_sum(own, sums);
    if (threadIdx.x == CLASS_BINS / each - 1) pool.offered_class0 = up_to_own;
    if (threadIdx.x == BLOCK - 1) {
        pool.offered = up_to_own;
        if (up_to_own < wanted) pool.last_key = NO_KEY;
    }
    u32 before = up_to_own - own;
    #pragma unroll
    for (u32 i = 0; i < each; ++i) {
        pool.starts[first + i] = before;
        if (blockIdx.x == 0) args.bin_starts[first + i] = before;
        if (before < wanted && before + counts[i] >= wanted) pool.last_key = last_of_bin(first + i);
        before += counts[i];
    }
    __syncthreads();
}

// Whether the target is not reached, so that all that is offered is selected.
__device__ bool takes_all(const DetectArgs& args, const PoolShared& pool) { return pool.offered <= args.target; }

// The pool's candidates of each cell: n and m.
struct PoolCounts {
    const u32 *class0, *all;
};

// What count_pool leaves; where everything is taken, whose class does not matter, what merge_levels left.
__device__ PoolCounts pool_counts(const DetectArgs& args, bool takes_all) {
    return takes_all ? PoolCounts{args.cell_counts, args.cell_counts} : PoolCounts{args.cell_class0, args.cell_all};
}

// Counts the pool in each of this block's cells.
__device__ void count_pool(const DetectArgs& args, PoolShared& pool, WarpSums& sums) {
    for (u32 cell = blockIdx.x; cell < args.grid_x * args.grid_y; cell += gridDim.x) {
        const Candidate* list = args.candidates + cell * args.cell_capacity;
        const u32 count = args.cell_counts[cell];
        u32 class0 = 0, all = 0;
        for (u32 i = threadIdx.x; i < count; i += BLOCK) {
            const u64 key = list[i].key;
            if (key > pool.last_key) continue;
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
