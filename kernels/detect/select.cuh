// C8: what each cell gives. Cells are dealt to blocks.

const u32 FEW_KEYS = 64; // that are ranked by comparing each with each

struct SelectShared {
    Array<u32, BLOCK> histogram;
    Array<u64, FEW_KEYS> few;
    Array<u64, WARPS> nexts;
    WarpSums sums;
    WarpSums level_sums[2];
    u64 found;
    u32 digit, wanted, count, gathered, base, placed;
};

// The pool's candidates of a cell: those of its list up to a key.
struct CellPool {
    const Candidate* list;
    u32 listed;   // entries of the list
    u64 last_key;

    // Whether entry i is in the pool, and has the bits `known` of `prefix`.
    __device__ bool matches(u32 i, u64 prefix, u64 known, u64& key) const {
        key = list[i].key;
        return ((key ^ prefix) & known) == 0 && key <= last_key;
    }
};

// The `wanted`-th smallest of the `count` keys of a cell's pool, from 1 on. Digit by digit of 8 bits from the top,
// until few are left. All threads of the block call it.
__device__ u64 nth_key(const CellPool& cell, u32 count, u32 wanted, SelectShared& shared) {
    u64 prefix = 0, known = 0; // the bits found so far, and which they are
    __syncthreads();
    shared.histogram[threadIdx.x] = 0;
    if (threadIdx.x == 0) shared.gathered = 0;
    __syncthreads();
    #pragma unroll 1
    for (i32 shift = KEY_BITS - 8; count > FEW_KEYS; shift = most(shift - 8, 0)) {
        u64 key;
        for (u32 i = threadIdx.x; i < cell.listed; i += BLOCK)
            if (cell.matches(i, prefix, known, key)) atomicAdd(&shared.histogram[u32(key >> shift) & 255u], 1u);
        __syncthreads();
        const u32 here = shared.histogram[threadIdx.x];
        shared.histogram[threadIdx.x] = 0;
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
        count = shared.count;
    }
    u64 key;
    for (u32 i = threadIdx.x; i < cell.listed; i += BLOCK)
        if (cell.matches(i, prefix, known, key)) shared.few[atomicAdd(&shared.gathered, 1u)] = key;
    __syncthreads();
    if (threadIdx.x < count) {
        key = shared.few[threadIdx.x];
        u32 before = 0;
        for (u32 i = 0; i < count; ++i) before += shared.few[i] < key ? 1 : 0;
        if (before + 1 == wanted) shared.found = key;
    }
    __syncthreads();
    return shared.found;
}

// Lists a selected candidate among all that are, and in its bin.
__device__ void place_selected(const DetectArgs& args, const Candidate& candidate, PoolShared& pool,
                               SelectShared& shared) {
    args.selected[shared.base + atomicAdd(&shared.placed, 1u)] = candidate;
    const u32 bin = order_bin(candidate.key);
    args.bin_members[pool.starts[bin] + atomicAdd(args.bin_counts + bin, 1u)] = candidate.key;
}

// The least of the threads' keys, for all of them.
__device__ u64 block_least(u64 key, Array<u64, WARPS>& keys) {
    #pragma unroll
    for (u32 step = WARP / 2; step > 0; step /= 2) {
        const u64 other = __shfl_xor_sync(ALL_LANES, key, step);
        key = other < key ? other : key;
    }
    if (threadIdx.x % WARP == 0) keys[threadIdx.x / WARP] = key;
    __syncthreads();
    for (u32 w = 0; w < WARPS; ++w) key = keys[w] < key ? keys[w] : key;
    return key;
}

// Lists what a cell gives within its quota; and the candidate after it, if some of the target remains for such.
__device__ void serve_cell(const DetectArgs& args, u32 cell, const PoolCounts& counts, const Water& water,
                           PoolShared& pool, SelectShared& shared) {
    const CellPool candidates{args.candidates + cell * args.cell_capacity, args.cell_counts[cell], pool.last_key};
    const u32 all = counts.all[cell];
    const u32 within = quota(counts.class0[cell], all, water.level, water.class0_suffices);
    const bool has_next = within < all && water.remaining > 0;
    if (threadIdx.x == 0) {
        shared.base = atomicAdd(args.totals + TOTAL_LISTED, within + (has_next ? 1 : 0));
        shared.placed = 0;
    }
    const u64 limit = within == 0 ? 0 : within == all ? NO_KEY : nth_key(candidates, all, within, shared);
    __syncthreads();
    u64 next = NO_KEY, key;
    u32 next_entry = 0;
    for (u32 i = threadIdx.x; i < candidates.listed; i += BLOCK) {
        if (!candidates.matches(i, 0, 0, key)) continue;
        if (key <= limit) {
            place_selected(args, candidates.list[i], pool, shared);
        } else if (key < next) {
            next = key;
            next_entry = i;
        }
    }
    const u64 least_next = has_next ? block_least(next, shared.nexts) : NO_KEY;
    if (has_next && next == least_next) {
        const Candidate candidate = candidates.list[next_entry];
        args.selected[shared.base + within] = Candidate{next | NEXT_KEY, candidate.u, candidate.v};
    }
    if (threadIdx.x == 0) args.cell_nexts[cell] = least_next;
    __syncthreads();
}

// Selects from this block's cells. Where the target is not reached they give everything.
__device__ void serve_cells(const DetectArgs& args, PoolShared& pool, SelectShared& shared) {
    const bool all = takes_all(args, pool);
    const PoolCounts counts = pool_counts(args, all);
    const Water water = all ? Water{false, ~0u, 0} : water_level(args, shared.level_sums);
    if (blockIdx.x == 0 && threadIdx.x == 0) args.totals[TOTAL_REMAINING] = water.remaining;
    for (u32 cell = blockIdx.x; cell < args.grid_x * args.grid_y; cell += gridDim.x)
        serve_cell(args, cell, counts, water, pool, shared);
}
