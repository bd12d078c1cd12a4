// D5 and D6: which boxes stay, 64 at a time, and what is put out; a block an image.

const u32 CHUNK = 2 * WARP;
const u32 MAX_CHUNKS = 8192 / CHUNK;
// Boxes of a thread whose bits are on their way while the chunk before is decided: those of the first 1024.
const u32 AHEAD = 4;
// Boxes of a thread that are read before any of them is written.
const u32 AT_ONCE = 2;

struct SweepShared {
    Array<u64, MAX_CHUNKS> kept;       // bits of each chunk
    Array<u32, MAX_CHUNKS> before;     // boxes kept before each chunk
    Array<u32, 2 * MAX_CHUNKS> fallen; // bits of the boxes that those of decided chunks overlap, by 32
    u32 total;
};

// Bits of a chunk's boxes that overlap a lane's two boxes of it, number `lane` and `lane` + 32, from before them.
struct Within {
    u32 low, high_low, high;
};

__device__ Within within_chunk(const DetectionsArgs& args, u32 image, u32 count, u32 chunk) {
    const u32 row = chunk * CHUNK + threadIdx.x % WARP;
    Within bits = {0, 0, 0};
    if (row < count) bits.low = *overlap_bits(args, image, 2 * chunk, row);
    if (row + WARP >= count) return bits;
    bits.high_low = *overlap_bits(args, image, 2 * chunk, row + WARP);
    bits.high = *overlap_bits(args, image, 2 * chunk + 1, row + WARP);
    return bits;
}

// Bits of the boxes of a chunk that overlap the later box `row`.
__device__ u64 overlaps_in_chunk(const DetectionsArgs& args, u32 image, u32 chunk, u32 row) {
    const u64 high = *overlap_bits(args, image, 2 * chunk + 1, row);
    return *overlap_bits(args, image, 2 * chunk, row) | high << 32;
}

// Bits of `count` boxes, at most 32.
__device__ u32 first_bits(u32 count) { return count >= WARP ? ~0u : (1u << count) - 1; }

// The boxes of a chunk that stay, for one warp to find. Of those that are open, all that no other open one overlaps stay,
// and what they overlap falls: the first is always among them. The outcome is that of one after the other.
__device__ void keep(SweepShared& shared, u32 count, u32 chunk, const Within& bits) {
    const u32 rest = count - chunk * CHUNK, lane = threadIdx.x % WARP;
    u32 low = first_bits(rest) & ~shared.fallen[2 * chunk], kept_low = 0;
    u32 high = rest > WARP ? first_bits(rest - WARP) & ~shared.fallen[2 * chunk + 1] : 0, kept_high = 0;
    #pragma unroll 1
    while ((low | high) != 0) {
        const bool low_stays = (low >> lane & 1) != 0 && (bits.low & low) == 0;
        const bool high_stays = (high >> lane & 1) != 0 && ((bits.high_low & low) | (bits.high & high)) == 0;
        const u32 new_low = __ballot_sync(ALL_LANES, low_stays), new_high = __ballot_sync(ALL_LANES, high_stays);
        kept_low |= new_low;
        kept_high |= new_high;
        low &= ~(new_low | __ballot_sync(ALL_LANES, (bits.low & new_low) != 0));
        high &= ~(new_high | __ballot_sync(ALL_LANES, ((bits.high_low & new_low) | (bits.high & new_high)) != 0));
    }
    if (lane != 0) return;
    shared.kept[chunk] = kept_low | u64(kept_high) << 32;
    shared.before[chunk] = shared.total;
    shared.total += u32(__popc(kept_low) + __popc(kept_high));
}

// The bits of a chunk's boxes for those of the thread's first AHEAD boxes that come after it.
__device__ void look_ahead(const DetectionsArgs& args, u32 image, u32 count, u32 chunk, u64 (&ahead)[AHEAD]) {
    #pragma unroll
    for (u32 k = 0; k < AHEAD; ++k) {
        const u32 row = k * BLOCK + threadIdx.x;
        ahead[k] = (chunk + 1) * CHUNK <= row && row < count ? overlaps_in_chunk(args, image, chunk, row) : 0;
    }
}

__device__ void suppress(const DetectionsArgs& args, u32 image, u32 count, SweepShared& shared) {
    const u32 lane = threadIdx.x % WARP, own_first = threadIdx.x - lane;
    const bool decides = own_first == 0;
    for (u32 i = threadIdx.x; i < 2 * MAX_CHUNKS; i += BLOCK) shared.fallen[i] = 0;
    Within within = {0, 0, 0};
    if (decides) within = within_chunk(args, image, count, 0);
    u64 ahead[AHEAD], later[AHEAD];
    look_ahead(args, image, count, 0, ahead);
    u32 fallen = 0; // a bit for each of the thread's first boxes
    __syncthreads();
    for (u32 chunk = 0; chunk * CHUNK < count; ++chunk) {
        const u32 next = (chunk + 1) * CHUNK;
        look_ahead(args, image, count, chunk + 1, later);
        if (decides) {
            const Within bits = within;
            within = within_chunk(args, image, count, chunk + 1);
            keep(shared, count, chunk, bits);
        }
        __syncthreads();
        const u64 kept = shared.kept[chunk];
        #pragma unroll
        for (u32 k = 0; k < AHEAD; ++k) {
            if ((ahead[k] & kept) != 0) fallen |= 1u << k;
            ahead[k] = later[k];
        }
        // The next chunk is told by the two warps that have its boxes.
        if (next < AHEAD * BLOCK && threadIdx.x / CHUNK == next % BLOCK / CHUNK) {
            const u32 bits = __ballot_sync(ALL_LANES, (fallen >> (next / BLOCK) & 1) != 0);
            if (lane == 0) shared.fallen[next / WARP + own_first % CHUNK / WARP] = bits;
        }
        // The others at once.
        for (u32 first = AHEAD * BLOCK + own_first; first < count; first += BLOCK) {
            if (first < next) continue;
            const u32 row = first + lane;
            const bool falls = row < count && (overlaps_in_chunk(args, image, chunk, row) & kept) != 0;
            const u32 bits = __ballot_sync(ALL_LANES, falls);
            if (lane == 0) shared.fallen[first / WARP] |= bits;
        }
        __syncthreads();
    }
}

__device__ f32 restored(f32 position, f32 pad, f32 scale, f32 size) {
    const f32 value = (position - pad) / scale;
    const f32 raised = value < 0.0f ? 0.0f : value;
    return size < raised ? size : raised;
}

// Where a box of the order goes among the records, NO_INDEX for nowhere.
__device__ u32 record_of(const DetectionsArgs& args, u32 count, u32 row, SweepShared& shared) {
    if (row >= count) return NO_INDEX;
    const u64 kept = shared.kept[row / CHUNK];
    const u32 bit = row % CHUNK;
    const u32 place = shared.before[row / CHUNK] + u32(__popcll(kept & ((u64(1) << bit) - 1)));
    return (kept >> bit & 1) != 0 && place < args.max_detections ? place : NO_INDEX;
}

__device__ void write_records(const DetectionsArgs& args, u32 image, u32 count, const LetterboxRecord& box,
                              SweepShared& shared) {
    for (u32 base = threadIdx.x; base < count; base += AT_ONCE * BLOCK) {
        u32 places[AT_ONCE], classes[AT_ONCE];
        u64 keys[AT_ONCE];
        Corners corners[AT_ONCE];
        #pragma unroll
        for (u32 k = 0; k < AT_ONCE; ++k) {
            places[k] = record_of(args, count, base + k * BLOCK, shared);
            if (places[k] == NO_INDEX) continue;
            const u32 slot = image * args.max_candidates + base + k * BLOCK;
            corners[k] = ordered_box(args, slot);
            keys[k] = args.box_keys[slot];
            classes[k] = args.box_classes[slot];
        }
        #pragma unroll
        for (u32 k = 0; k < AT_ONCE; ++k) {
            if (places[k] == NO_INDEX) continue;
            DetectionRecord& record = args.records[image * args.max_detections + places[k]];
            record.x1 = restored(corners[k].x1, box.pad_x, box.scale, box.width);
            record.y1 = restored(corners[k].y1, box.pad_y, box.scale, box.height);
            record.x2 = restored(corners[k].x2, box.pad_x, box.scale, box.width);
            record.y2 = restored(corners[k].y2, box.pad_y, box.scale, box.height);
            record.score = candidate_score(keys[k]);
            record.class_index = classes[k];
            record.anchor = candidate_anchor(keys[k]);
            record.reserved = 0;
        }
    }
}

__device__ void sweep(const DetectionsArgs& args, SweepShared& shared) {
    for (u32 image = blockIdx.x; image < args.batch; image += gridDim.x) {
        const u32 count = considered(args, image);
        const LetterboxRecord box = args.letterboxes[image]; // the host's memory is far away
        if (threadIdx.x == 0) shared.total = 0;
        __syncthreads();
        suppress(args, image, count, shared);
        write_records(args, image, count, box, shared);
        if (threadIdx.x == 0) {
            DetectionCounts& counts = args.counts[image];
            counts.candidates = args.candidate_counts[image];
            counts.considered = count;
            counts.kept = shared.total;
            counts.written = least(shared.total, args.max_detections);
            args.candidate_counts[image] = 0; // for the next launch
        }
        __syncthreads(); // before the next image's
    }
}
