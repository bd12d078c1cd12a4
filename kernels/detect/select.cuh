// C8: water-filling. Cells are dealt to blocks; what decides for all of them, each block works out for itself.

const u32 KEY_DIGITS = 6; // of 8 bits: the keys have 45

// The `wanted`-th smallest of `count` keys, from 1 on. Keys are distinct, but for NO_KEY. All threads of the block call.
__device__ u64 nth_key(const u64* keys, u32 count, u32 wanted, SelectShared& shared) {
    u64 prefix = 0, known = 0; // the bits found so far, and which they are
    for (i32 shift = 8 * (i32(KEY_DIGITS) - 1); shift >= 0; shift -= 8) {
        __syncthreads();
        shared.histogram[threadIdx.x] = 0;
        __syncthreads();
        for (u32 i = threadIdx.x; i < count; i += BLOCK)
            if (((keys[i] ^ prefix) & known) == 0) atomicAdd(&shared.histogram[u32(keys[i] >> shift) & 255u], 1u);
        __syncthreads();
        const u32 here = shared.histogram[threadIdx.x];
        const u32 up_to_here = block_inclusive_sum(here, shared.sums);
        if (up_to_here >= wanted && up_to_here - here < wanted) {
            shared.digit = threadIdx.x;
            shared.wanted = wanted - (up_to_here - here);
            shared.count = here;
        }
        __syncthreads();
        prefix |= u64(shared.digit) << shift;
        known |= 255ull << shift;
        wanted = shared.wanted;
        if (shared.count == 1) break;
    }
    for (u32 i = threadIdx.x; i < count; i += BLOCK)
        if (((keys[i] ^ prefix) & known) == 0) shared.found = keys[i];
    __syncthreads();
    return shared.found;
}

// What the cells give at water level `level`: of class 0 alone, or class 0 in full and class 1 up to the level.
__device__ u32 quota(const DetectArgs& args, u32 cell, u32 level, bool class0_suffices) {
    const u32 class0 = args.cell_class0[cell], all = args.cell_all[cell];
    return class0_suffices ? least(class0, level) : most(class0, least(all, level));
}

__device__ u32 sum_of_quotas(const DetectArgs& args, u32 level, bool class0_suffices, SelectShared& shared) {
    u32 sum = 0;
    for (u32 cell = threadIdx.x; cell < args.grid_x * args.grid_y; cell += BLOCK)
        sum += quota(args, cell, level, class0_suffices);
    return block_sum(sum, shared.sums);
}

// The water level and what it leaves.
struct Water {
    bool class0_suffices;
    u32 level;     // the greatest whose quotas do not exceed the target
    u32 remaining; // of the target, one each to cells with candidates left
};

// The same in every block.
__device__ Water water_level(const DetectArgs& args, SelectShared& shared) {
    u32 class0 = 0, deepest = 0;
    for (u32 cell = threadIdx.x; cell < args.grid_x * args.grid_y; cell += BLOCK) {
        class0 += args.cell_class0[cell];
        deepest = most(deepest, args.cell_all[cell]);
    }
    Water water;
    water.class0_suffices = block_sum(class0, shared.sums) >= args.target;
    u32 level = 0, above = block_max(deepest, shared.sums) + 1;
    while (level + 1 < above) {
        const u32 middle = level + (above - level) / 2;
        if (sum_of_quotas(args, middle, water.class0_suffices, shared) <= args.target) level = middle;
        else above = middle;
    }
    water.level = level;
    water.remaining = args.target - sum_of_quotas(args, level, water.class0_suffices, shared);
    return water;
}

// First entry of a cell in the lists.
__device__ u32 list_start(const DetectArgs& args, u32 cell, SelectShared& shared) {
    u32 before = 0;
    for (u32 i = threadIdx.x; i < cell; i += BLOCK) before += args.cell_all[i];
    return block_sum(before, shared.sums);
}

// First and last tile that can hold candidates of column (or row) `cell` of `cells`, along a side of `size` level-0
// pixels and `level_size` pixels of the level.
__device__ void tiles_under_cell(u32 cell, u32 cells, u32 size, u32 level, i32 level_size, u32& first, u32& last) {
    first = (u32(u64(cell) * 2 * size / cells) >> (level + 1)) / TILE;
    const u32 end = rounded_up(u64(cell + 1) * 2 * size, cells) >> (level + 1);
    last = least(end, u32(level_size - 1)) / TILE;
}

// Collects the pool's candidates of one cell from the tiles under it.
__device__ void gather_cell(const DetectArgs& args, u32 last_bin, u32 cell, u64* keys, u32* slots,
                            SelectShared& shared) {
    __syncthreads();
    if (threadIdx.x == 0) shared.count = 0;
    __syncthreads();
    const u32 lane = threadIdx.x % WARP;
    for (u32 l = 0; l < args.levels; ++l) {
        const Level level = level_at(args, l);
        u32 left, right, top, bottom;
        tiles_under_cell(cell % args.grid_x, args.grid_x, args.width, l, level.width, left, right);
        tiles_under_cell(cell / args.grid_x, args.grid_y, args.height, l, level.height, top, bottom);
        const u32 across = right - left + 1, tiles = across * (bottom - top + 1);
        for (u32 i = threadIdx.x / WARP; i < tiles; i += WARPS) {
            const u32 tile = level.first_tile + (top + i / across) * level.tiles_x + left + i % across;
            const u32 first = tile * TILE_SLOTS;
            for (u32 slot = first + lane; slot < first + args.slot_counts[tile]; slot += WARP) {
                const u64 key = args.slot_keys[slot];
                if (!in_pool(last_bin, key) || cell_under(args, key_half_x(key), key_half_y(key)) != cell) continue;
                const u32 at = atomicAdd(&shared.count, 1u);
                keys[at] = key;
                slots[at] = slot;
            }
        }
    }
    __syncthreads();
}

// Finds for each cell the last key within its quota and the one after it, and counts what the quotas select by bin.
__device__ void fill_cells(const DetectArgs& args, u32 last_bin, const Water& water, SelectShared& shared) {
    for (u32 cell = blockIdx.x; cell < args.grid_x * args.grid_y; cell += gridDim.x) {
        const u32 start = list_start(args, cell, shared), count = args.cell_all[cell];
        u64* keys = args.list_keys + start;
        gather_cell(args, last_bin, cell, keys, args.list_slots + start, shared);
        const u32 within = quota(args, cell, water.level, water.class0_suffices);
        const u64 limit = within == 0 ? 0 : nth_key(keys, count, within, shared);
        const u64 next = within == count ? NO_KEY : nth_key(keys, count, within + 1, shared);
        if (threadIdx.x == 0) {
            args.cell_limits[cell] = limit;
            args.cell_nexts[cell] = next;
        }
        for (u32 i = threadIdx.x; i < count; i += BLOCK)
            if (keys[i] <= limit) atomicAdd(args.bin_counts + order_bin(keys[i]), 1u);
    }
}
