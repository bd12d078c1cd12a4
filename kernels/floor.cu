// The floor under a frame: as many bytes in and out, as many meetings of all blocks, one launch, and no work. What a
// frame takes above it is work; what differs between two ways of the bytes is the way.
//
// Result k of four words is sum + 4 k, sum + 4 k + 1, ... in 32 bits, where sum is that of all words of the source: so
// nothing is written before everything was read, and no compiler may leave a read out.

extern "C" __global__ void __launch_bounds__(BLOCK, 4) frame_floor(const FloorArgs args) {
    SHARED(WarpSums, sums);

    u32 own = 0;
    for (u32 i = grid_thread(); i < args.source_count; i += grid_threads()) {
        const FloorWords read = args.source[i];
        own += read.words[0] + read.words[1] + read.words[2] + read.words[3];
    }
    const u32 part = block_sum(own, sums);
    u32* total = args.state + 2;
    if (threadIdx.x == 0) atomicAdd(total, part);
    #pragma unroll 1
    for (u32 i = 1; i < most(args.barriers, 2u); ++i) grid_barrier(args.state);

    const u32 sum = *total;
    for (u32 i = grid_thread(); i < args.result_count; i += grid_threads()) {
        const u32 first = sum + 4 * i;
        args.results[i] = FloorWords{{first, first + 1, first + 2, first + 3}};
    }
    __threadfence_system();
    grid_barrier(args.state);
    if (grid_thread() != 0) return;
    *total = 0; // for the next launch: every thread has read it
    FloorHeader& header = *args.header;
    header.sum = sum;
    __threadfence_system();
    *const_cast<volatile u64*>(&header.frame) = args.frame;
}

// Tells the host that it ran, and that is all: under any frame lies at least this, behind a copy of its image.
extern "C" __global__ void __launch_bounds__(WARP) frame_flag(const FloorArgs args) {
    if (threadIdx.x == 0) *const_cast<volatile u64*>(&args.header->frame) = args.frame;
}
