// Detection (contract C0 to C10) in one launch of any number of resident blocks of BLOCK threads. Between two stages
// all blocks meet; within a stage each takes its share of pixels, tiles, cells or features.

union StageShared {
    LoadShared load;
    CornerShared corners;
    ThresholdShared thresholds;
    SelectShared select;
    DescribeShared describe;
};

// Clears what the stages count into.
__device__ void clear_counters(const DetectArgs& args) {
    for (u32 i = grid_thread(); i < args.grid_x * args.grid_y; i += grid_threads()) args.cell_counts[i] = 0;
    for (u32 i = grid_thread(); i < ORDER_BINS; i += grid_threads()) args.pool_bins[i] = args.bin_counts[i] = 0;
    if (grid_thread() == 0) args.totals[TOTAL_LISTED] = 0;
}

// Tells the host, by the last block to come, that all features are complete.
__device__ void publish(const DetectArgs& args, const PoolShared& pool) {
    __syncthreads();
    if (threadIdx.x != 0) return;
    __threadfence_system();
    u32* const finished = args.barrier + BARRIER_FINISHED;
    if (atomicAdd(finished, 1u) != gridDim.x - 1) return;
    atomicExch(finished, 0u);
    args.header->count = least(args.target, pool.offered);
    args.header->offered = pool.offered;
    args.header->offered_class0 = pool.offered_class0;
    __threadfence_system();
    *const_cast<volatile u64*>(&args.header->frame) = args.frame;
}

extern "C" __global__ void __launch_bounds__(BLOCK, 4) detect(const DetectArgs args) {
    SHARED(StageShared, stage);
    SHARED(PoolShared, pool);
    const bool has_cells = blockIdx.x < args.grid_x * args.grid_y;

    clear_counters(args);
    load_pyramid(args, stage.load);
    grid_barrier(args.barrier);
    find_survivors(args, stage.corners, stage.thresholds);
    grid_barrier(args.barrier);
    merge_levels(args);
    grid_barrier(args.barrier);
    find_pool(args, pool, stage.select.sums);
    if (!takes_all(args, pool)) {
        if (has_cells) count_pool(args, pool, stage.select.sums);
        grid_barrier(args.barrier);
    }
    if (has_cells) serve_cells(args, pool, stage.select);
    grid_barrier(args.barrier);
    find_places(args, pool, stage.select.sums);
    write_features(args, pool, stage.describe);
    publish(args, pool);
}
