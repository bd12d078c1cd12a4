// C7: the selected candidates in their order. A bin is a class and a range of S; a candidate's place is the number of
// selected ones in the bins before its own and of smaller keys in its own.

struct OrderShared {
    Array<u32, ORDER_BINS> starts; // place of the first of each bin
    WarpSums sums;
    u32 count;                     // selected in all
};

// The greatest of the cells' next keys that is served from what remains; 0 for none. The same in every block.
__device__ u64 extra_limit(const DetectArgs& args, const Water& water, SelectShared& shared) {
    const u32 cells = args.grid_x * args.grid_y;
    u32 open = 0;
    for (u32 cell = threadIdx.x; cell < cells; cell += BLOCK) open += args.cell_nexts[cell] != NO_KEY ? 1 : 0;
    open = block_sum(open, shared.sums);
    if (water.remaining == 0) return 0;
    return open <= water.remaining ? NO_KEY - 1 : nth_key(args.cell_nexts, cells, water.remaining, shared);
}

// Where each bin begins. The same in every block.
__device__ void place_bins(const DetectArgs& args, u64 extra, OrderShared& order) {
    const u32 each = ORDER_BINS / BLOCK;
    for (u32 bin = threadIdx.x; bin < ORDER_BINS; bin += BLOCK) order.starts[bin] = args.bin_counts[bin];
    __syncthreads();
    for (u32 cell = threadIdx.x; cell < args.grid_x * args.grid_y; cell += BLOCK) {
        const u64 next = args.cell_nexts[cell];
        if (next <= extra) atomicAdd(&order.starts[order_bin(next)], 1u);
    }
    __syncthreads();
    u32 own = 0;
    for (u32 i = 0; i < each; ++i) own += order.starts[threadIdx.x * each + i];
    const u32 up_to_own = block_inclusive_sum(own, order.sums);
    u32 start = up_to_own - own;
    for (u32 i = 0; i < each; ++i) {
        const u32 bin = threadIdx.x * each + i, count = order.starts[bin];
        order.starts[bin] = start;
        start += count;
    }
    if (threadIdx.x == BLOCK - 1) order.count = up_to_own;
    __syncthreads();
}

// Writes the selected candidates of this block's cells to their bins, in no order within a bin.
__device__ void collect_selected(const DetectArgs& args, u64 extra, OrderShared& order, SelectShared& shared) {
    for (u32 cell = blockIdx.x; cell < args.grid_x * args.grid_y; cell += gridDim.x) {
        const u32 start = list_start(args, cell, shared), count = args.cell_all[cell];
        const u64 limit = args.cell_limits[cell], next = args.cell_nexts[cell];
        for (u32 i = start + threadIdx.x; i < start + count; i += BLOCK) {
            const u64 key = args.list_keys[i];
            if (key > limit && (key != next || next > extra)) continue;
            const u32 bin = order_bin(key);
            const u32 at = order.starts[bin] + atomicAdd(args.bin_cursors + bin, 1u);
            args.order_keys[at] = key;
            args.order_slots[at] = args.list_slots[i];
        }
    }
}

// Place of entry `i` in the order of C7. All lanes of a warp call it with the same entry.
__device__ u32 place_of(const DetectArgs& args, u64 key, OrderShared& order) {
    const u32 bin = order_bin(key);
    const u32 start = order.starts[bin], end = bin + 1 < ORDER_BINS ? order.starts[bin + 1] : order.count;
    u32 before = 0;
    for (u32 i = start + threadIdx.x % WARP; i < end; i += WARP) before += args.order_keys[i] < key ? 1 : 0;
    return start + warp_sum(before);
}
