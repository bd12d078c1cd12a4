// C7: the place of a selected candidate in the order, counted by a warp. Before it come the selected ones of the bins
// before its own, the smaller ones of its own, and those that cells gave beyond their quotas: of the candidates after
// the quotas the first `remaining` by C7.

static_assert(BIN_GROUPS == WARP, "a lane a group of bins, a lane a bin of a group");

// What is counted for entry `candidate` of the selected; false if what remained of the target did not reach it.
__device__ bool place_of(const DetectArgs& args, u64 key, bool is_next, u32 remaining, u32& place) {
    const u32 lane = threadIdx.x % WARP, bin = order_bin(key), group = bin / BIN_GROUP;
    const u32 in_group = group * BIN_GROUP + lane;
    const u32 members = args.bin_counts[bin], start = args.bin_starts[bin];
    u32 before = lane < group ? args.group_counts[lane] : 0;
    before += in_group < bin ? args.bin_counts[in_group] : 0;
    for (u32 i = lane; i < members; i += WARP) before += args.bin_members[start + i] < key ? 1 : 0;
    place = warp_sum(before);
    if (remaining == 0) return !is_next;
    u32 nexts = 0;
    #pragma unroll 1
    for (u32 cell = lane; cell < args.grid_x * args.grid_y; cell += WARP) nexts += args.cell_nexts[cell] < key ? 1 : 0;
    nexts = warp_sum(nexts);
    place += least(nexts, remaining);
    return !is_next || nexts < remaining;
}
