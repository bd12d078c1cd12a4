// C7: the place of a selected candidate in the order, counted by a warp. Before it come the selected ones of the bins
// before its own, the smaller ones of its own, and those that cells gave beyond their quotas: of the candidates after
// the quotas the first `remaining` by C7.

const u32 NO_PLACE = ~0u;

// Scans the bins of what is selected within the quotas: `starts` then are places, as they are already where everything is
// taken. Every block does so for itself.
__device__ void find_places(const DetectArgs& args, PoolShared& pool, WarpSums& sums) {
    if (takes_all(args, pool)) return;
    u32 counts[OWN_BINS], before = scan_bins(args.bin_counts, counts, sums);
    #pragma unroll
    for (u32 i = 0; i < OWN_BINS; ++i) {
        pool.starts[threadIdx.x * OWN_BINS + i] = before;
        before += counts[i];
    }
    __syncthreads();
}

// Place of entry `i` of the selected; NO_PLACE if what remained of the target did not reach it. All lanes of a warp
// call it.
__device__ u32 place_of(const DetectArgs& args, PoolShared& pool, u32 i, Candidate& candidate) {
    const u32 remaining = args.totals[TOTAL_REMAINING];
    candidate = args.selected[i];
    const bool is_next = (candidate.key & NEXT_KEY) != 0;
    candidate.key &= ~NEXT_KEY;
    const u64 key = candidate.key;
    const u32 lane = threadIdx.x % WARP, bin = order_bin(key), members = args.bin_counts[bin];
    const u64* const list = args.bin_members + args.bin_starts[bin];
    u32 place = pool.starts[bin], nexts = 0;
    for (u32 first = 0; first < members; first += WARP)
        place += __popc(__ballot_sync(ALL_LANES, first + lane < members && list[first + lane] < key));
    if (remaining == 0) return is_next ? NO_PLACE : place;
    const u32 cells = args.grid_x * args.grid_y;
    for (u32 first = 0; first < cells; first += WARP)
        nexts += __popc(__ballot_sync(ALL_LANES, first + lane < cells && args.cell_nexts[first + lane] < key));
    return is_next && nexts >= remaining ? NO_PLACE : place + least(nexts, remaining);
}
