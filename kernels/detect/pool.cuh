// C8: the pool, the strongest candidates of the frame, from which the cells are served.

struct SelectShared {
    Array<u32, 256> histogram;
    WarpSums sums;
    u64 found;
    u32 digit, wanted, count;
};

struct Pool {
    u32 offered, offered_class0; // candidates, in the pool or not
    u32 last_bin;                // the pool is this bin and those before it
};

// The same in every block.
__device__ Pool find_pool(const DetectArgs& args, SelectShared& shared) {
    const u32 each = ORDER_BINS / BLOCK, first = threadIdx.x * each;
    const u32 wanted = (3 * args.target + 1) / 2;
    u32 own = 0;
    for (u32 i = 0; i < each; ++i) own += args.pool_bins[first + i];
    if (threadIdx.x == 0) shared.digit = ORDER_BINS - 1;
    const u32 up_to_own = block_inclusive_sum(own, shared.sums); // it synchronises
    u32 before = up_to_own - own;
    if (before < wanted && up_to_own >= wanted) {
        u32 bin = first;
        while ((before += args.pool_bins[bin]) < wanted) ++bin;
        shared.digit = bin;
    }
    if (threadIdx.x == CLASS_BINS / each - 1) shared.count = up_to_own;
    if (threadIdx.x == BLOCK - 1) shared.wanted = up_to_own;
    __syncthreads();
    const Pool pool = {shared.wanted, shared.count, shared.digit};
    __syncthreads(); // before the shared values change
    return pool;
}

// Whether a candidate is in the pool; NO_KEY is not.
__device__ bool in_pool(const Pool& pool, u64 key) { return order_bin(key) <= pool.last_bin; }

// Counts the pool by cell.
__device__ void count_pool(const DetectArgs& args, const Pool& pool) {
    const u32 tiles = tiles_of_all_levels(args), lane = threadIdx.x % WARP;
    for (u32 tile = grid_thread() / WARP; tile < tiles; tile += grid_threads() / WARP) {
        const u32 first = tile * TILE_SLOTS;
        for (u32 slot = first + lane; slot < first + args.slot_counts[tile]; slot += WARP) {
            const u64 key = args.slot_keys[slot];
            if (!in_pool(pool, key)) continue;
            const u32 cell = cell_under(args, key_half_x(key), key_half_y(key));
            atomicAdd(args.cell_all + cell, 1u);
            if (key_class(key) == 0) atomicAdd(args.cell_class0 + cell, 1u);
        }
    }
}
