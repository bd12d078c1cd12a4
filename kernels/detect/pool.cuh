// C8: the pool, the strongest candidates of the frame, from which the cells are served. What decides for all of them
// each block works out for itself.

struct PoolShared {
    Array<u32, ORDER_BINS> starts; // candidates in the bins before each; at last, features
    u64 last_key;                  // the pool is what has no greater one
    u32 offered, offered_class0;   // candidates of both classes, of class 0
};

const u32 OWN_BINS = ORDER_BINS / BLOCK; // of a thread, where a block scans them

// Reads a thread's bins, and returns what those before them hold. All threads of the block call it.
__device__ u32 scan_bins(const u32* bins, u32 (&counts)[OWN_BINS], WarpSums& sums) {
    u32 own = 0;
    #pragma unroll
    for (u32 i = 0; i < OWN_BINS; ++i) own += counts[i] = bins[threadIdx.x * OWN_BINS + i];
    return block_inclusive_sum(own, sums) - own;
}

// Scans the bins of all candidates. Block 0 says where each begins.
__device__ void find_pool(const DetectArgs& args, PoolShared& pool, WarpSums& sums) {
    const u32 wanted = (3 * args.target + 1) / 2;
    u32 counts[OWN_BINS], before = scan_bins(args.pool_bins, counts, sums);
    #pragma unroll
    for (u32 i = 0; i < OWN_BINS; ++i) {
        const u32 bin = threadIdx.x * OWN_BINS + i;
        pool.starts[bin] = before;
        if (blockIdx.x == 0) args.bin_starts[bin] = before;
        if (before < wanted && before + counts[i] >= wanted) pool.last_key = last_of_bin(bin);
        before += counts[i];
    }
    if (threadIdx.x == CLASS_BINS / OWN_BINS - 1) pool.offered_class0 = before;
    if (threadIdx.x == BLOCK - 1) {
        pool.offered = before;
        if (before < wanted) pool.last_key = NO_KEY;
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
