// Post-processing of detectors (contract D0 to D6, DETECTIONS.md) in one launch of any number of resident blocks of
// BLOCK threads. Between two stages all blocks meet. Candidates arrive in any order and are put in theirs by counting.

union DetectionsShared {
    DecodeShared decode;
    SweepShared sweep;
};

// Tells the host what was refused, NO_INDEX for nothing, as far as it reads before the launch's number.
__device__ void write_header(const DetectionsArgs& args, u32 bad) {
    DetectionsHeader& header = *args.header;
    header.bad_index = bad;
    header.bad_value = 0.0f;
    if (bad != NO_INDEX && args.half_floats != 0)
        header.bad_value = widen(reinterpret_cast<const u16*>(args.tensor)[bad]);
    else if (bad != NO_INDEX)
        header.bad_value = reinterpret_cast<const f32*>(args.tensor)[bad];
}

__device__ void publish(const DetectionsArgs& args) { *const_cast<volatile u64*>(&args.header->frame) = args.frame; }

// Instead of boxes: nothing is counted, for the next launch.
__device__ void refuse(const DetectionsArgs& args, u32 bad) {
    grid_barrier(args.barrier);
    for (u32 i = grid_thread(); i < args.batch; i += grid_threads()) args.candidate_counts[i] = 0;
    if (grid_thread() != 0) return;
    *args.bad = 0;
    write_header(args, bad);
    __threadfence_system();
    publish(args);
}

// The last of the blocks that have written boxes publishes them.
__device__ void finish(const DetectionsArgs& args) {
    const u32 writers = least(args.batch, gridDim.x);
    if (blockIdx.x >= writers) return;
    if (grid_thread() == 0) write_header(args, NO_INDEX);
    __syncthreads();
    if (threadIdx.x != 0) return;
    __threadfence_system(); // for what the block has written
    if (writers > 1) {
        u32* done = args.barrier + 1;
        if (atomicAdd(done, 1u) != writers - 1) return;
        atomicExch(done, 0u);
        __threadfence_system(); // and the others
    }
    publish(args);
}

extern "C" __global__ void __launch_bounds__(BLOCK, 4) detections(const DetectionsArgs args) {
    SHARED(DetectionsShared, stage);

    decode(args, stage.decode);
    grid_barrier(args.barrier);
    const u32 bad = ~*args.bad;
    if (bad != NO_INDEX) {
        refuse(args, bad);
        return;
    }
    order_candidates(args);
    grid_barrier(args.barrier);
    find_overlaps(args);
    grid_barrier(args.barrier);
    sweep(args, stage.sweep);
    finish(args);
}
