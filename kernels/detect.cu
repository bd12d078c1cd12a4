// Detection (contract C0 to C10) in one launch of any number of resident blocks of BLOCK threads. Between two stages
// all blocks meet; within a stage each takes its share of pieces, tiles, cells or features.

union StageShared {
    LoadShared load;
    CornerShared corners;
    SelectShared select;
    DescribeShared describe;
};

// Clears what the stages count into.
__device__ void clear_counters(const DetectArgs& args) {
    for (u32 i = grid_thread(); i < args.grid_x * args.grid_y; i += grid_threads())
        args.cell_class0[i] = args.cell_all[i] = 0;
    for (u32 i = grid_thread(); i < ORDER_BINS; i += grid_threads())
        args.pool_bins[i] = args.bin_counts[i] = args.bin_cursors[i] = 0;
}

// Tells the host, once every block has written its features, that they are complete.
__device__ void publish(const DetectArgs& args, u32 count) {
    __threadfence_system();
    grid_barrier(args.barrier);
    if (grid_thread() != 0) return;
    DetectHeader& header = *args.header;
    header.count = count;
    __threadfence_system();
    *const_cast<volatile u64*>(&header.frame) = args.frame;
}

extern "C" __global__ void __launch_bounds__(BLOCK, 4) detect(const DetectArgs args) {
    SHARED(StageShared, stage);
    SHARED(OrderShared, order);

    clear_counters(args);
    load_pyramid(args, stage.load);
    grid_barrier(args.barrier);
    find_corners(args, stage.corners);
    grid_barrier(args.barrier);
    merge_levels(args);
    grid_barrier(args.barrier);
    const u32 last_bin = last_pool_bin(args, stage.select);
    count_pool(args, last_bin);
    grid_barrier(args.barrier);
    const Water water = water_level(args, stage.select);
    fill_cells(args, last_bin, water, stage.select);
    grid_barrier(args.barrier);
    const u64 extra = extra_limit(args, water, stage.select);
    place_bins(args, extra, order);
    collect_selected(args, extra, order, stage.select);
    grid_barrier(args.barrier);
    write_features(args, order, stage.describe);
    publish(args, order.count);
}
