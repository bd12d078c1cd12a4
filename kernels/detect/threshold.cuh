// C1, C2: median gradient and threshold of a level-0 tile.

const i32 GRADIENT_DILATION = 8;

struct ThresholdShared {
    Array<u32, 256> histogram;
    WarpSums sums;
};

// t = clamp((ratio * median * gain) >> 16) to Q8 limits, rounded to whole grey levels (C2).
__device__ u8 tile_threshold(const DetectArgs& args, u32 median) {
    u64 scaled = (u64(args.ratio_q8) * median * args.gain_q16) >> 16;
    const u64 lowest = args.threshold_min << 8, highest = args.threshold_max << 8;
    scaled = scaled < lowest ? lowest : scaled;
    scaled = scaled > highest ? highest : scaled;
    return u8((scaled + 128) >> 8);
}

// Counts the gradients of C1.
__device__ void count_gradients(const DetectArgs& args, const Tile& tile, ThresholdShared& shared) {
    const u8* pixels = args.pyramid + tile.level.offset;
    const i32 across = (i32(TILE) + 2 * GRADIENT_DILATION) / 2, pitch = i32(tile.level.pitch);
    for (i32 i = threadIdx.x; i < across * across; i += BLOCK) {
        const i32 x = tile.left + i % across * 2 - GRADIENT_DILATION, y = tile.top + i / across * 2 - GRADIENT_DILATION;
        if (x < 1 || x > tile.level.width - 2 || y < 1 || y > tile.level.height - 2) continue;
        const u8* const here = pixels + u32(y * pitch + x);
        const i32 right_left = i32(here[1]) - here[-1], below_above = i32(here[pitch]) - here[-pitch];
        atomicAdd(&shared.histogram[u32(magnitude(right_left) + magnitude(below_above)) >> 1], 1u);
    }
}

// Median and threshold of the tile. Where the ratio is 0 the median plays no part, and is not sought.
__device__ void measure_tile(const DetectArgs& args, const Tile& tile, ThresholdShared& shared) {
    if (args.ratio_q8 == 0) {
        if (threadIdx.x == 0) args.thresholds[tile.index] = tile_threshold(args, 0);
        return;
    }
    __syncthreads(); // another use of the shared memory has ended
    shared.histogram[threadIdx.x] = 0;
    __syncthreads();
    count_gradients(args, tile, shared);
    __syncthreads();
    const u32 here = shared.histogram[threadIdx.x];
    const u32 up_to_here = block_inclusive_sum(here, shared.sums);
    const u32 samples = block_sum(here, shared.sums);
    if (2 * up_to_here >= samples && 2 * (up_to_here - here) < samples) {
        args.medians[tile.index] = u8(threadIdx.x);
        args.thresholds[tile.index] = tile_threshold(args, threadIdx.x);
    }
    __syncthreads();
}
