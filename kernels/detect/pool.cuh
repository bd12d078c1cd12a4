// C8: the pool, the strongest candidates of the frame, from which the cells are served.

struct SelectShared {
    Array<u32, 256> histogram;
    WarpSums sums;
    u64 found;
    u32 digit, wanted, count;
};

// The last bin of the pool; the same in every block. The header gets the number of all candidates.
__device__ u32 last_pool_bin(const DetectArgs& args, SelectShared& shared) {
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
    if (blockIdx.x == 0 && threadIdx.x == CLASS_BINS / each - 1) args.header->offered_class0 = up_to_own;
    if (blockIdx.x == 0 && threadIdx.x == BLOCK - 1) args.header->offered = up_to_own;
    __syncthreads();
    const u32 last = shared.digit;
    __syncthreads(); // before the shared value changes
    return last;
}

// Whether a candidate is in the pool; NO_KEY is not.
__device__ bool in_pool(u32 last_bin, u64 key) { return order_bin(key) <= last_bin; }

// Counts the pool by cell.
__device__ void count_pool(const DetectArgs& args, u32 last_bin) {
    const u32 tiles = tiles_of_all_levels(args), lane = threadIdx.x % WARP;
    for (u32 tile = grid_thread() / WARP; tile < tiles; tile += grid_threads() / WARP) {
        const u32 first = tile * TILE_SLOTS;
        for (u32 slot = first + lane; slot < first + args.slot_counts[tile]; slot += WARP) {
            const u64 key = args.slot_keys[slot];
            if (!in_pool(last_bin, key)) continue;
            const u32 cell = cell_under(args, key_half_x(key), key_half_y(key));
            atomicAdd(args.cell_all + cell, 1u);
            if (key_class(key) == 0) atomicAdd(args.cell_class0 + cell, 1u);
        }
    }
}
