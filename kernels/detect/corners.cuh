// C1, C2, C4, C5, C9: thresholds, corner strength, response, suppression and sub-pixel position, tile by tile.

const i32 WINDOW_MARGIN = 9; // C1 reads 8 + 1 pixels around a tile; suppression 1 + 1 + 3
const i32 WINDOW = i32(TILE) + 2 * WINDOW_MARGIN;
const i32 STRENGTH_MARGIN = 2; // V is wanted around a tile for S, S for suppression
const i32 STRENGTHS = i32(TILE) + 2 * STRENGTH_MARGIN;
const i32 RESPONSE_MARGIN = 1;
const i32 RESPONSES = i32(TILE) + 2 * RESPONSE_MARGIN;
const i32 GRADIENT_DILATION = 8;

struct CornerShared {
    Array<u8, WINDOW * WINDOW> pixels;
    Array<u8, STRENGTHS * STRENGTHS> strengths;
    Array<u16, RESPONSES * RESPONSES> responses;
    Array<u16, STRENGTHS * STRENGTHS> promising; // where V may exceed tmin: indices of `strengths`
    Array<u32, 256> histogram;
    WarpSums sums;
    u32 promising_count, survivor_count;
};

// Fills the window around the tile; pixels outside the level are 0 and decide nothing.
__device__ void load_tile(const DetectArgs& args, const Level& level, i32 left, i32 top, CornerShared& shared) {
    const u8* pixels = args.pyramid + level.offset;
    for (i32 i = threadIdx.x; i < WINDOW * WINDOW; i += BLOCK) {
        const i32 x = left + i % WINDOW - WINDOW_MARGIN, y = top + i / WINDOW - WINDOW_MARGIN;
        const bool inside = x >= 0 && x < level.width && y >= 0 && y < level.height;
        shared.pixels[i] = inside ? pixels[u32(y) * level.pitch + x] : u8(0);
    }
    for (i32 i = threadIdx.x; i < STRENGTHS * STRENGTHS; i += BLOCK) shared.strengths[i] = 0;
    shared.histogram[threadIdx.x] = 0;
    if (threadIdx.x == 0) shared.promising_count = shared.survivor_count = 0;
    __syncthreads();
}

// t = clamp((ratio * median * gain) >> 16) to Q8 limits, rounded to whole grey levels (C2).
__device__ u8 tile_threshold(const DetectArgs& args, u32 median) {
    u64 scaled = (u64(args.ratio_q8) * median * args.gain_q16) >> 16;
    const u64 lowest = args.threshold_min << 8, highest = args.threshold_max << 8;
    scaled = scaled < lowest ? lowest : scaled;
    scaled = scaled > highest ? highest : scaled;
    return u8((scaled + 128) >> 8);
}

// C1, C2 of a level-0 tile.
__device__ void measure_tile(const DetectArgs& args, const Level& level, i32 left, i32 top, u32 tile,
                             CornerShared& shared) {
    const i32 across = (i32(TILE) + 2 * GRADIENT_DILATION) / 2;
    for (i32 i = threadIdx.x; i < across * across; i += BLOCK) {
        const i32 dx = i % across * 2 - GRADIENT_DILATION, dy = i / across * 2 - GRADIENT_DILATION;
        const i32 x = left + dx, y = top + dy;
        if (x < 1 || x > level.width - 2 || y < 1 || y > level.height - 2) continue;
        const u32 at = u32(dy + WINDOW_MARGIN) * WINDOW + u32(dx + WINDOW_MARGIN);
        const i32 right_left = i32(shared.pixels[at + 1]) - shared.pixels[at - 1];
        const i32 below_above = i32(shared.pixels[at + WINDOW]) - shared.pixels[at - WINDOW];
        atomicAdd(&shared.histogram[u32(magnitude(right_left) + magnitude(below_above)) >> 1], 1u);
    }
    __syncthreads();
    const u32 here = shared.histogram[threadIdx.x];
    const u32 up_to_here = block_inclusive_sum(here, shared.sums);
    const u32 samples = block_sum(here, shared.sums);
    if (2 * up_to_here >= samples && 2 * (up_to_here - here) < samples) {
        args.medians[tile] = u8(threadIdx.x);
        args.thresholds[tile] = tile_threshold(args, threadIdx.x);
    }
}

// Whether nine neighbours on the ring could all differ from the centre by more than `limit` in the same sense: they
// hold two neighbours among the four ring pixels above, below, left and right.
__device__ bool may_be_corner(CornerShared& shared, u32 at, i32 limit) {
    const i32 centre = shared.pixels[at];
    const i32 below = shared.pixels[at + RING_RADIUS * WINDOW] - centre, right = shared.pixels[at + RING_RADIUS] - centre;
    const i32 above = shared.pixels[at - RING_RADIUS * WINDOW] - centre, left = shared.pixels[at - RING_RADIUS] - centre;
    const bool brighter = (below > limit || above > limit) && (right > limit || left > limit);
    const bool darker = (below < -limit || above < -limit) && (right < -limit || left < -limit);
    return brighter || darker;
}

// The greatest of the 16 minima over nine neighbours on the ring. Arcs that begin at 2k and 2k + 1 share the eight
// values from 2k + 1 on: max(min(first, shared), min(shared, last)) = min(shared, max(first, last)).
__device__ i32 best_arc(const i32 (&d)[16]) {
    i32 two[8], four[8], best = 0;
    #pragma unroll
    for (i32 k = 0; k < 8; ++k) two[k] = least(d[2 * k + 1], d[(2 * k + 2) % 16]);
    #pragma unroll
    for (i32 k = 0; k < 8; ++k) four[k] = least(two[k], two[(k + 1) % 8]);
    #pragma unroll
    for (i32 k = 0; k < 8; ++k) {
        const i32 eight = least(four[k], four[(k + 2) % 8]);
        best = most(best, least(eight, most(d[2 * k], d[(2 * k + 9) % 16])));
    }
    return best;
}

// V of C4 at index `at` of the window.
__device__ i32 corner_strength(CornerShared& shared, u32 at) {
    const i32 W = WINDOW;
    const i32 ring[16] = {3 * W,      3 * W + 1,  2 * W + 2,  W + 3,  3,  -W + 3, -2 * W + 2, -3 * W + 1,
                          -3 * W,     -3 * W - 1, -2 * W - 2, -W - 3, -3, W - 3,  2 * W - 2,  3 * W - 1};
    const i32 centre = shared.pixels[at];
    i32 brighter[16], darker[16];
    #pragma unroll
    for (i32 k = 0; k < 16; ++k) {
        brighter[k] = i32(shared.pixels[at + ring[k]]) - centre;
        darker[k] = -brighter[k];
    }
    return most(best_arc(brighter), best_arc(darker));
}

// V where it exceeds tmin, 0 elsewhere. Few pixels pass the first test; the second is spread over all threads again.
__device__ void find_strengths(const DetectArgs& args, const Level& level, i32 left, i32 top, CornerShared& shared) {
    const i32 limit = args.threshold_min;
    const i32 to_window = WINDOW_MARGIN - STRENGTH_MARGIN;
    for (i32 i = threadIdx.x; i < STRENGTHS * STRENGTHS; i += BLOCK) {
        const i32 column = i % STRENGTHS, row = i / STRENGTHS;
        const i32 x = left + column - STRENGTH_MARGIN, y = top + row - STRENGTH_MARGIN;
        if (x < RING_RADIUS || x >= level.width - RING_RADIUS || y < RING_RADIUS || y >= level.height - RING_RADIUS)
            continue;
        if (may_be_corner(shared, (row + to_window) * WINDOW + column + to_window, limit))
            shared.promising[atomicAdd(&shared.promising_count, 1u)] = u16(i);
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < shared.promising_count; i += BLOCK) {
        const i32 at = shared.promising[i];
        const i32 column = at % STRENGTHS, row = at / STRENGTHS;
        const i32 strength = corner_strength(shared, (row + to_window) * WINDOW + column + to_window);
        if (strength > limit) shared.strengths[at] = u8(strength);
    }
    __syncthreads();
}

// S of C5.
__device__ void smooth_strengths(const Level& level, i32 left, i32 top, CornerShared& shared) {
    for (i32 i = threadIdx.x; i < RESPONSES * RESPONSES; i += BLOCK) {
        const i32 column = i % RESPONSES, row = i / RESPONSES;
        const i32 x = left + column - RESPONSE_MARGIN, y = top + row - RESPONSE_MARGIN;
        const bool wanted =
            x >= RING_RADIUS && x < level.width - RING_RADIUS && y >= RING_RADIUS && y < level.height - RING_RADIUS;
        const u32 at = (row + 1) * STRENGTHS + column + 1;
        u32 sum = 0;
        #pragma unroll
        for (i32 dy = -1; dy <= 1; ++dy) {
            const u32 middle = at + dy * STRENGTHS;
            const u32 across = shared.strengths[middle - 1] + 2u * shared.strengths[middle] + shared.strengths[middle + 1];
            sum += dy == 0 ? 2 * across : across;
        }
        shared.responses[i] = wanted ? u16(sum) : u16(0);
    }
    __syncthreads();
}

__device__ f32 clamp_half(f32 offset) {
    offset = offset < -0.5f ? -0.5f : offset;
    return 0.5f < offset ? 0.5f : offset;
}

// Offset of the maximum of S from the pixel at index `at`: one Newton step (C9).
__device__ void subpixel_offset(Array<u16, RESPONSES * RESPONSES>& s, u32 at, f32& off_x, f32& off_y) {
    const u32 above = at - RESPONSES, below = at + RESPONSES;
    const i32 here = s[at];
    const i32 gx = i32(s[at + 1]) - s[at - 1], gy = i32(s[below]) - s[above];
    const i32 hxx = i32(s[at + 1]) + s[at - 1] - 2 * here, hyy = i32(s[below]) + s[above] - 2 * here;
    const i32 hxy = i32(s[below + 1]) + s[above - 1] - s[above + 1] - s[below - 1];
    const i32 determinant = 16 * hxx * hyy - hxy * hxy;
    off_x = off_y = 0.0f;
    if (determinant <= 0 || hxx >= 0) return;
    off_x = clamp_half(f32(2 * hxy * gy - 8 * hyy * gx) / f32(determinant));
    off_y = clamp_half(f32(2 * hxy * gx - 8 * hxx * gy) / f32(determinant));
}

__device__ f32 subpixel_position(i32 x, f32 offset, u32 level) {
    return ((f32(x) + offset) + 0.5f) * f32(1u << level) - 0.5f;
}

// Suppression (C5): survivors go to the slots of the tile and to the map of peaks.
__device__ void suppress(const DetectArgs& args, const Level& level, i32 left, i32 top, u32 tile, CornerShared& shared) {
    CornerSlot* slots = args.slots + tile * TILE_SLOTS;
    for (i32 i = threadIdx.x; i < i32(TILE * TILE); i += BLOCK) {
        const i32 column = i % i32(TILE), row = i / i32(TILE), x = left + column, y = top + row;
        if (x >= level.width || y >= level.height) continue;
        const u32 at = (row + RESPONSE_MARGIN) * RESPONSES + column + RESPONSE_MARGIN;
        Array<u16, RESPONSES * RESPONSES>& s = shared.responses;
        const u16 here = s[at];
        const u32 above = at - RESPONSES, below = at + RESPONSES;
        const u8 strength = shared.strengths[(row + STRENGTH_MARGIN) * STRENGTHS + column + STRENGTH_MARGIN];
        const bool centre = x >= BORDER && x < level.width - BORDER && y >= BORDER && y < level.height - BORDER;
        const bool survives = centre && strength > 0 &&
            here > s[above - 1] && here > s[above] && here > s[above + 1] && here > s[at - 1] &&
            here >= s[at + 1] && here >= s[below - 1] && here >= s[below] && here >= s[below + 1];
        args.peaks[level.offset + u32(y) * level.pitch + x] = survives ? here : u16(0);
        if (!survives) continue;
        CornerSlot& slot = slots[atomicAdd(&shared.survivor_count, 1u)];
        f32 off_x, off_y;
        subpixel_offset(s, at, off_x, off_y);
        slot.u = subpixel_position(x, off_x, level.index);
        slot.v = subpixel_position(y, off_y, level.index);
        slot.x = u16(x);
        slot.y = u16(y);
        slot.response = here;
        slot.strength = strength;
        slot.reserved = 0;
    }
    __syncthreads();
    if (threadIdx.x == 0) args.slot_counts[tile] = shared.survivor_count;
    __syncthreads();
}

// Finds the survivors of every tile of every level, and the thresholds of the level-0 tiles.
__device__ void find_corners(const DetectArgs& args, CornerShared& shared) {
    const u32 tiles = tiles_of_all_levels(args);
    for (u32 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const Level level = level_of_tile(args, tile);
        const u32 in_level = tile - level.first_tile;
        const i32 left = in_level % level.tiles_x * TILE, top = in_level / level.tiles_x * TILE;
        load_tile(args, level, left, top, shared);
        if (level.index == 0) measure_tile(args, level, left, top, tile, shared);
        find_strengths(args, level, left, top, shared);
        smooth_strengths(level, left, top, shared);
        suppress(args, level, left, top, tile, shared);
    }
}
