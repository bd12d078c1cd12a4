// D5 and D6: which boxes stay, 64 at a time, and what is put out; a block an image.

const u32 CHUNK = 64;
const u32 MAX_CHUNKS = 8192 / CHUNK;

struct SweepShared {
    Array<u64, MAX_CHUNKS> kept;   // bits of each chunk
    Array<u32, MAX_CHUNKS> before; // boxes kept before each chunk
    Array<u64, CHUNK> within;      // of each box of the chunk, those of the chunk that it overlaps
    Array<u64, WARPS> fallen;      // boxes of the chunk that earlier chunks overlap, by warp
    u32 total;
};

// Bits of the boxes of a chunk that the box `row` overlaps.
__device__ u64 overlaps_in_chunk(const DetectionsArgs& args, u32 image, u32 count, u32 chunk, u32 row) {
    const u64 low = *overlap_bits(args, image, 2 * chunk, row);
    // A word beyond the last box was not written.
    const bool high = (2 * chunk + 1) * WARP < count;
    return low | (high ? u64(*overlap_bits(args, image, 2 * chunk + 1, row)) << 32 : 0);
}

__device__ u64 warp_or(u64 bits) {
    for (u32 step = WARP / 2; step > 0; step /= 2) bits |= __shfl_xor_sync(ALL_LANES, bits, step);
    return bits;
}

// The boxes of a chunk that stay: of those that no earlier chunk overlaps, one after the other.
__device__ void keep(SweepShared& shared, u32 count, u32 chunk) {
    const u32 rest = count - chunk * CHUNK;
    u64 left = rest >= CHUNK ? ~u64(0) : (u64(1) << rest) - 1, kept = 0;
    for (u32 w = 0; w < WARPS; ++w) left &= ~shared.fallen[w];
    #pragma unroll 1
    while (left != 0) {
        const u32 next = u32(__ffsll(i64(left))) - 1;
        const u64 bit = u64(1) << next;
        kept |= bit;
        left &= ~(shared.within[next] | bit);
    }
    shared.kept[chunk] = kept;
    shared.before[chunk] = shared.total;
    shared.total += u32(__popcll(kept));
}

__device__ void suppress(const DetectionsArgs& args, u32 image, u32 count, SweepShared& shared) {
    for (u32 chunk = 0; chunk * CHUNK < count; ++chunk) {
        u64 fallen = 0;
        for (u32 row = threadIdx.x; row < chunk * CHUNK; row += BLOCK)
            if (shared.kept[row / CHUNK] >> (row % CHUNK) & 1)
                fallen |= overlaps_in_chunk(args, image, count, chunk, row);
        fallen = warp_or(fallen);
        if (threadIdx.x % WARP == 0) shared.fallen[threadIdx.x / WARP] = fallen;
        const u32 own = chunk * CHUNK + threadIdx.x;
        if (threadIdx.x < CHUNK) {
            u64 within = 0;
            if (own < count && threadIdx.x < WARP) within = overlaps_in_chunk(args, image, count, chunk, own);
            else if (own < count) within = u64(*overlap_bits(args, image, 2 * chunk + 1, own)) << 32;
            shared.within[threadIdx.x] = within;
        }
        __syncthreads();
        if (threadIdx.x == 0) keep(shared, count, chunk);
        __syncthreads();
    }
}

__device__ f32 restored(f32 position, f32 pad, f32 scale, f32 size) {
    const f32 value = (position - pad) / scale;
    const f32 raised = value < 0.0f ? 0.0f : value;
    return size < raised ? size : raised;
}

__device__ void write_records(const DetectionsArgs& args, u32 image, u32 count, SweepShared& shared) {
    const LetterboxRecord box = args.letterboxes[image];
    for (u32 row = threadIdx.x; row < count; row += BLOCK) {
        const u64 kept = shared.kept[row / CHUNK];
        const u32 bit = row % CHUNK, place = shared.before[row / CHUNK] + u32(__popcll(kept & ((u64(1) << bit) - 1)));
        if ((kept >> bit & 1) == 0 || place >= args.max_detections) continue;
        const u32 slot = image * args.max_candidates + row;
        const Corners corners = ordered_box(args, slot);
        DetectionRecord& record = args.records[image * args.max_detections + place];
        record.x1 = restored(corners.x1, box.pad_x, box.scale, box.width);
        record.y1 = restored(corners.y1, box.pad_y, box.scale, box.height);
        record.x2 = restored(corners.x2, box.pad_x, box.scale, box.width);
        record.y2 = restored(corners.y2, box.pad_y, box.scale, box.height);
        record.score = candidate_score(args.box_keys[slot]);
        record.class_index = args.box_classes[slot];
        record.anchor = candidate_anchor(args.box_keys[slot]);
        record.reserved = 0;
    }
}

__device__ void sweep(const DetectionsArgs& args, SweepShared& shared) {
    for (u32 image = blockIdx.x; image < args.batch; image += gridDim.x) {
        const u32 count = considered(args, image);
        if (threadIdx.x == 0) shared.total = 0;
        __syncthreads();
        suppress(args, image, count, shared);
        write_records(args, image, count, shared);
        if (threadIdx.x == 0) {
            DetectionCounts& counts = args.counts[image];
            counts.candidates = args.candidate_counts[image];
            counts.considered = count;
            counts.kept = shared.total;
            counts.written = least(shared.total, args.max_detections);
        }
        __syncthreads(); // before the next image's
    }
}
