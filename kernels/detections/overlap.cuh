// D4 and the pairs of D5: boxes in order, and of each the bits of the earlier ones that it overlaps.

// Puts each candidate, a warp each, in its place: the number of keys before its own.
__device__ void order_candidates(const DetectionsArgs& args) {
    const u32 lane = threadIdx.x % WARP;
    for (u32 image = 0; image < args.batch; ++image) {
        const u32 count = args.candidate_counts[image];
        const u64* keys = args.keys + image * args.anchors;
        for (u32 i = grid_thread() / WARP; i < count; i += grid_threads() / WARP) {
            const u64 key = keys[i];
            const u32 anchor = candidate_anchor(key);
            // On their way while keys are counted; a lane a channel.
            const u32 own_class = args.key_classes[image * args.anchors + i];
            const f32 own = box_value(args, image, anchor, lane % 4);
            u32 before = 0;
            #pragma unroll 8
            for (u32 j = lane; j < count; j += WARP) before += keys[j] < key ? 1 : 0;
            const u32 place = warp_sum(before);
            const f32 x = __shfl_sync(ALL_LANES, own, 0), y = __shfl_sync(ALL_LANES, own, 1);
            const f32 w = __shfl_sync(ALL_LANES, own, 2), h = __shfl_sync(ALL_LANES, own, 3);
            if (lane != 0 || place >= args.max_candidates) continue;
            const u32 slot = image * args.max_candidates + place;
            const Corners corners = corners_of(args, anchor, x, y, w, h);
            args.boxes[4 * slot] = corners.x1;
            args.boxes[4 * slot + 1] = corners.y1;
            args.boxes[4 * slot + 2] = corners.x2;
            args.boxes[4 * slot + 3] = corners.y2;
            args.box_keys[slot] = key;
            args.box_classes[slot] = own_class;
        }
    }
}

__device__ u32 considered(const DetectionsArgs& args, u32 image) {
    return least(args.candidate_counts[image], args.max_candidates);
}

__device__ Corners ordered_box(const DetectionsArgs& args, u32 slot) {
    const f32* box = args.boxes + 4 * slot;
    const Corners corners = {box[0], box[1], box[2], box[3]};
    return corners;
}

__device__ bool overlap(const Corners& a, const Corners& b, f32 iou) {
    const f32 x1 = a.x1 < b.x1 ? b.x1 : a.x1, x2 = a.x2 < b.x2 ? a.x2 : b.x2;
    const f32 y1 = a.y1 < b.y1 ? b.y1 : a.y1, y2 = a.y2 < b.y2 ? a.y2 : b.y2;
    const f32 width = x2 - x1, height = y2 - y1;
    if (!(width > 0.0f && height > 0.0f)) return false;
    const f32 both = width * height;
    return both > 0.0f && both / ((box_area(a) + box_area(b)) - both) > iou;
}

// Words of 32 boxes that max_candidates take.
__device__ u32 overlap_words(const DetectionsArgs& args) { return rounded_up(args.max_candidates, WARP); }

// Where the bits of boxes 32 `word` .. are, for the box `row`, which is not before them.
__device__ u32* overlap_bits(const DetectionsArgs& args, u32 image, u32 word, u32 row) {
    return args.overlaps + (u64(image * overlap_words(args) + word) * args.max_candidates + row);
}

// A warp 32 boxes, a lane each, by 32 of the same or earlier ones, which go round from the lanes that read them.
__device__ void find_overlaps(const DetectionsArgs& args) {
    const u32 lane = threadIdx.x % WARP;
    for (u32 image = 0; image < args.batch; ++image) {
        const u32 count = considered(args, image), words = rounded_up(count, WARP), first = image * args.max_candidates;
        for (u32 task = grid_thread() / WARP; task < words * words; task += grid_threads() / WARP) {
            const u32 word = task % words, row = task / words * WARP + lane;
            if (word > task / words) continue;
            // Beyond the last box, the last one.
            const u32 here = first + least(row, count - 1), there = first + least(word * WARP + lane, count - 1);
            const Corners own = ordered_box(args, here), read = ordered_box(args, there);
            const u32 own_class = args.box_classes[here], read_class = args.box_classes[there];
            u32 bits = 0;
            for (u32 k = 0; k < WARP; ++k) {
                const u32 other_class = __shfl_sync(ALL_LANES, read_class, k);
                const bool comparable = word * WARP + k < row && (args.agnostic != 0 || other_class == own_class);
                if (__any_sync(ALL_LANES, comparable) == 0) continue;
                const Corners other = {__shfl_sync(ALL_LANES, read.x1, k), __shfl_sync(ALL_LANES, read.y1, k),
                                       __shfl_sync(ALL_LANES, read.x2, k), __shfl_sync(ALL_LANES, read.y2, k)};
                if (comparable && overlap(other, own, args.iou)) bits |= 1u << k;
            }
            if (row < count) *overlap_bits(args, image, word, row) = bits;
        }
    }
}
