// C8: the water level, up to which every cell is served.

// What the cells give at water level `level`: of class 0 alone, or class 0 in full and class 1 up to the level.
__device__ u32 quota(u32 class0, u32 all, u32 level, bool class0_suffices) {
    return class0_suffices ? least(class0, level) : most(class0, least(all, level));
}

// The water level and what it leaves.
struct Water {
    bool class0_suffices;
    u32 level;     // the greatest whose quotas do not exceed the target
    u32 remaining; // of the target, one each to cells with candidates left; there are as many
};

// The greatest of the warp's values, for all of its lanes.
__device__ u32 warp_max(u32 value) {
    for (u32 step = WARP / 2; step > 0; step /= 2) value = most(value, __shfl_xor_sync(ALL_LANES, value, step));
    return value;
}

// The same in every block. Each warp goes over all cells; the level is sought among the WARPS that split the range, a
// warp each. `sums` are two, so that a round may be read while the next is written.
__device__ Water water_level(const DetectArgs& args, WarpSums (&sums)[2]) {
    const u32 cells = args.grid_x * args.grid_y, lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    u32 class0 = 0, all = 0, deepest = 0;
    for (u32 cell = lane; cell < cells; cell += WARP) {
        class0 += args.cell_class0[cell];
        all += args.cell_all[cell];
        deepest = most(deepest, args.cell_all[cell]);
    }
    class0 = warp_sum(class0);
    all = warp_sum(all);
    Water water;
    water.class0_suffices = class0 >= args.target;
    u32 level = 0, above = warp_max(deepest) + 1;
    u32 given = water.class0_suffices ? 0 : class0; // at `level`
    for (u32 round = 0; level + 1 < above; round ^= 1) {
        const u32 step = rounded_up(above - level, WARPS + 1);
        u32 sum = 0;
        for (u32 cell = lane; cell < cells; cell += WARP)
            sum += quota(args.cell_class0[cell], args.cell_all[cell], level + (warp + 1) * step, water.class0_suffices);
        sum = warp_sum(sum);
        if (lane == 0) sums[round][warp] = sum;
        __syncthreads();
        u32 below = 0;
        while (below < WARPS && sums[round][below] <= args.target) given = sums[round][below++];
        above = least(above, level + (below + 1) * step);
        level = least(level + below * step, above - 1);
    }
    water.level = level;
    water.remaining = least(args.target, all) - given;
    return water;
}
