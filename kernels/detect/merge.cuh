// C6: merge across levels, mask, class; every candidate goes to the list of its cell.

// A side of the pixels of another level within reach (C6) of a pixel.
struct Reach {
    i32 first, last;
};

__device__ Reach reach(i32 x, u32 level, u32 other) {
    if (other > level) {
        const i32 first = (half_pixels(x, level) + 1 - (1 << other)) >> (other + 1);
        return Reach{first, first + 1};
    }
    return Reach{(2 * x - 1) << (level - other - 1), ((2 * x + 3) << (level - other - 1)) - 1};
}

// Whether a peak of another level within reach stands for the one at (half_x, half_y). The reach spans at most
// SIDE blocks of 2 x 2 pixels either way; all are read before the first is looked at.
template <i32 SIDE>
__device__ bool any_before(const DetectArgs& args, const Level& there, const Reach& columns, const Reach& rows,
                           i32 half_x, i32 half_y, u32 response) {
    const i32 left = columns.first >> 1, top = rows.first >> 1;
    u32 peaks[SIDE][SIDE];
    #pragma unroll
    for (i32 j = 0; j < SIDE; ++j)
        #pragma unroll
        for (i32 i = 0; i < SIDE; ++i) {
            const bool inside = 2 * (left + i) < there.width && 2 * (top + j) < there.height;
            peaks[j][i] = inside ? args.peaks[peak_index(there, u32(left + i), u32(top + j))] : 0;
        }
    bool found = false;
    #pragma unroll
    for (i32 j = 0; j < SIDE; ++j)
        #pragma unroll
        for (i32 i = 0; i < SIDE; ++i) {
            const u32 peak = peaks[j][i], score = peak & PEAK_SCORE;
            const i32 x = 2 * (left + i) + i32(peak >> PEAK_RIGHT & 1), y = 2 * (top + j) + i32(peak >> PEAK_LOWER & 1);
            if (score < response || x < columns.first || x > columns.last || y < rows.first || y > rows.last) continue;
            const i32 other_x = half_pixels(x, there.index), other_y = half_pixels(y, there.index);
            found |= score > response || other_y < half_y || (other_y == half_y && other_x < half_x);
        }
    return found;
}

// Whether a survivor of another level stands for this one.
__device__ bool falls(const DetectArgs& args, u32 level, i32 x, i32 y, u32 response) {
    const i32 half_x = half_pixels(x, level), half_y = half_pixels(y, level);
    bool found = false;
    for (u32 other = 0; other < args.levels; ++other) {
        if (other == level) continue;
        const Level there = level_at(args, other);
        const Reach columns = reach(x, level, other), rows = reach(y, level, other);
        if (other > level) found |= any_before<2>(args, there, columns, rows, half_x, half_y, response);
        else if (other + 1 == level) found |= any_before<3>(args, there, columns, rows, half_x, half_y, response);
        else found |= any_before<4>(args, there, columns, rows, half_x, half_y, response);
    }
    return found;
}

// The place of each asking lane in the list of its cell. One lane asks for all of a cell: neighbours share cells, and one
// counter takes atomics one after the other. All lanes of a warp call it.
__device__ u32 place_in_cell(const DetectArgs& args, bool asks, u32 cell) {
    const u32 lane = threadIdx.x % WARP;
    u32 open = __ballot_sync(ALL_LANES, asks), place = 0;
    #pragma unroll 1
    while (open != 0) {
        const u32 first = __ffs(open) - 1;
        const u32 shared = __shfl_sync(ALL_LANES, cell, first), same = __ballot_sync(ALL_LANES, asks && cell == shared);
        u32 before = 0;
        if (lane == first) before = atomicAdd(args.cell_counts + cell, u32(__popc(same)));
        before = __shfl_sync(ALL_LANES, before, first);
        if (same >> lane & 1) place = before + __popc(same & ((1u << lane) - 1));
        open &= ~same;
    }
    return place;
}

// Lists those of a warp's survivors that stay, each by its cell, and counts them by bin.
__device__ void offer(const DetectArgs& args, u32 level, bool has_corner, const CornerSlot& corner) {
    const i32 half_x = half_pixels(corner.x, level), half_y = half_pixels(corner.y, level);
    const bool masked = args.mask && has_corner &&
                        args.mask[u64(whole_pixel(half_y)) * args.width + whole_pixel(half_x)] == 0;
    const bool stays = has_corner && !masked && !falls(args, level, corner.x, corner.y, corner.response);
    const u32 cell = cell_under(args, half_x, half_y), place = place_in_cell(args, stays, cell);
    if (!stays) return;
    const u32 threshold = args.thresholds[tile_under(args, half_x, half_y)];
    const u64 key = order_key(corner.strength > threshold ? 0 : 1, corner.response, half_x, half_y);
    args.candidates[cell * args.cell_capacity + place] = Candidate{key, corner.u, corner.v};
    atomicAdd(args.pool_bins + order_bin(key), 1u);
}

// The warps of a block share the survivors of a tile.
__device__ void merge_levels(const DetectArgs& args) {
    const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    for (u32 tile = blockIdx.x; tile < args.tiles; tile += gridDim.x) {
        const u32 count = args.slot_counts[tile], level = level_of_tile(args, tile);
        for (u32 first = warp * WARP; first < count; first += BLOCK) {
            const u32 slot = first + lane;
            CornerSlot corner = {};
            if (slot < count) corner = args.slots[tile * TILE_SLOTS + slot];
            offer(args, level, slot < count, corner);
        }
    }
}
