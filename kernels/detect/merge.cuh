// C6: merge across levels, mask, class, and a key for every candidate.

// First and last pixel of level `other` within reach of pixel x of `level` (C6), along one axis.
__device__ void neighbours(i32 x, u32 level, u32 other, i32& first, i32& last) {
    if (other > level) {
        first = (half_pixels(x, level) + 1 - (1 << other)) >> (other + 1);
        last = first + 1;
    } else {
        first = (2 * x - 1) << (level - other - 1);
        last = ((2 * x + 3) << (level - other - 1)) - 1;
    }
}

// Whether a survivor of another level stands for this one.
__device__ bool falls(const DetectArgs& args, u32 level, i32 x, i32 y, u32 response) {
    const i32 half_x = half_pixels(x, level), half_y = half_pixels(y, level);
    for (u32 other = 0; other < args.levels; ++other) {
        if (other == level) continue;
        const Level there = level_at(args, other);
        i32 left, right, top, bottom;
        neighbours(x, level, other, left, right);
        neighbours(y, level, other, top, bottom);
        for (i32 row = most(top, 0); row <= least(bottom, there.height - 1); ++row) {
            for (i32 column = most(left, 0); column <= least(right, there.width - 1); ++column) {
                const u32 peak = args.peaks[there.offset + u32(row) * there.pitch + column];
                if (peak < response || peak == 0) continue;
                const i32 other_x = half_pixels(column, other), other_y = half_pixels(row, other);
                if (peak > response || other_y < half_y || (other_y == half_y && other_x < half_x)) return true;
            }
        }
    }
    return false;
}

// Gives every survivor its key, and counts the candidates by bin.
__device__ void merge_levels(const DetectArgs& args) {
    const u32 tiles = tiles_of_all_levels(args), lane = threadIdx.x % WARP;
    for (u32 tile = grid_thread() / WARP; tile < tiles; tile += grid_threads() / WARP) {
        const u32 level = level_of_tile(args, tile).index;
        for (u32 slot = tile * TILE_SLOTS + lane; slot < tile * TILE_SLOTS + args.slot_counts[tile]; slot += WARP) {
            const CornerSlot corner = args.slots[slot];
            const i32 half_x = half_pixels(corner.x, level), half_y = half_pixels(corner.y, level);
            const bool masked =
                args.mask && args.mask[u64(whole_pixel(half_y)) * args.width + whole_pixel(half_x)] == 0;
            if (masked || falls(args, level, corner.x, corner.y, corner.response)) {
                args.slot_keys[slot] = NO_KEY;
                continue;
            }
            const u32 corner_class = corner.strength > args.thresholds[tile_under(args, half_x, half_y)] ? 0 : 1;
            const u64 key = order_key(corner_class, corner.response, half_x, half_y);
            args.slot_keys[slot] = key;
            atomicAdd(args.pool_bins + order_bin(key), 1u);
        }
    }
}
