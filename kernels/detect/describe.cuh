// C10 and the features as they leave: a warp writes one or two, and describes two, sixteen lanes each.

const u32 CELLS = 4;               // along each axis
const u32 DESCRIPTOR = CELLS * CELLS * OCTANTS;
const u32 HALF_WARP = WARP / 2;
const u32 PAIRS = u32(PATCH) / 2;  // of columns: lanes that have the upper or the lower half of a square
const u32 FOUR = OCTANTS / 2;      // octants of a lane when it sums over cells, and of a store
// Words of a half of a square in four octants: a pair of columns that stays zero, for the halves of the outer cells
// that lie beside the square, and the eight. What stands before the next half serves behind this one.
const u32 HALF_SUMS = (1 + PAIRS) * FOUR;
const u32 SQUARES_SUMS = WARP / PAIRS * HALF_SUMS + FOUR; // of the two squares of a warp

struct DescribeShared {
    alignas(16) Array<u32, WARPS * 2 * SQUARES_SUMS> sums; // per warp: the first four octants, the others
};

__device__ uint4& four_of(DescribeShared& shared, u32 at) {
    CHECK_INDEX(at + 3, u32(sizeof(shared.sums) / sizeof(u32)));
    return *reinterpret_cast<uint4*>(&shared.sums[at]);
}

// Where the sums of the warp of a thread begin.
__device__ u32 first_sum(u32 thread) { return thread / WARP * 2 * SQUARES_SUMS; }

__device__ void clear_beside(DescribeShared& shared) {
    const u32 lane = threadIdx.x % WARP, places = WARP / PAIRS + 1;
    if (lane < 2 * places)
        four_of(shared, first_sum(threadIdx.x) + lane % places * HALF_SUMS + lane / places * SQUARES_SUMS) =
            make_uint4(0, 0, 0, 0);
}

// All lanes of a warp put down their sums, once nobody looks at those before.
__device__ void share_sums(const u32 (&sums)[OCTANTS], u32 place, DescribeShared& shared) {
    __syncwarp();
    four_of(shared, place) = make_uint4(sums[0], sums[1], sums[2], sums[3]);
    four_of(shared, place + SQUARES_SUMS) = make_uint4(sums[4], sums[5], sums[6], sums[7]);
    __syncwarp();
}

// Sum over the four pairs of columns about a cell.
__device__ u32 cell_sum(u32 a, u32 b, u32 c, u32 d) {
    return add_products(c, 7, 5, add_products(b, 5, 7, add_products(d, 3, 1, add_products(a, 1, 3, EXACT))));
}

// Four octants of a cell, from the pair of columns at `place` on and the three after it.
__device__ void sum_cell(u32 place, DescribeShared& shared, u32 (&values)[FOUR]) {
    const uint4 a = four_of(shared, place), b = four_of(shared, place + FOUR);
    const uint4 c = four_of(shared, place + 2 * FOUR), d = four_of(shared, place + 3 * FOUR);
    values[0] = cell_sum(a.x, b.x, c.x, d.x);
    values[1] = cell_sum(a.y, b.y, c.y, d.y);
    values[2] = cell_sum(a.z, b.z, c.z, d.z);
    values[3] = cell_sum(a.w, b.w, c.w, d.w);
}

// The octants of a cell, of which two lanes have four each, in their order: those of the lower half of the square come
// mirrored, as 0 7 6 5 and 4 3 2 1.
__device__ u32 upright(u32 bytes, bool lower) {
    return __byte_perm(bytes, __shfl_xor_sync(ALL_LANES, bytes, 1), lower ? 0x5670 : 0x3210);
}

// Sums down the columns of the square about (x, y), a pair of columns a lane; half a warp has a square.
__device__ void sum_square(const u8* pixels, const Level& level, i32 x, i32 y, ColumnSums& sums) {
    const i32 pair = threadIdx.x % PAIRS, step = (threadIdx.x & PAIRS) != 0 ? -1 : 1;
    const i32 left = x - REACH + 2 * pair, first = step < 0 ? y + PATCH / 2 : y - REACH;
    u32 rows[ROWS];
    if (x >= REACH && y >= REACH && x + REACH < level.width && y + REACH <= level.height)
        load_rows<true>(pixels, level, left, first, step, rows);
    else
        load_rows<false>(pixels, level, left, first, step, rows);
    sum_columns(rows, sums);
}

// The descriptors of the two squares of a warp from the sums of its lanes, each to its place unless that is NO_PLACE.
__device__ void write_descriptors(const DetectArgs& args, ColumnSums& sums, u32 place, DescribeShared& shared) {
    const u32 thread = anew(threadIdx.x), pair = thread % PAIRS;
    const bool lower = (thread & PAIRS) != 0;
    // What the other half of the square has for this one.
    #pragma unroll
    for (u32 o = 0; o < OCTANTS; ++o)
        sums.middle[o] += __shfl_xor_sync(ALL_LANES, sums.beyond[(OCTANTS - o) % OCTANTS], PAIRS);
    const u32 own = first_sum(thread) + thread % WARP / PAIRS * HALF_SUMS + (1 + pair) * FOUR;
    // Of two lanes one has the first four octants of their cell, the other one the last.
    const u32 from = pair % 2 == 0 ? own - FOUR : own - 2 * FOUR + SQUARES_SUMS;
    u32 edge[FOUR], middle[FOUR];
    share_sums(sums.edge, own, shared);
    sum_cell(from, shared, edge);
    share_sums(sums.middle, own, shared);
    sum_cell(from, shared, middle);

    u32 sum = 0u - 2 * FOUR * EXACT;
    #pragma unroll
    for (u32 i = 0; i < FOUR; ++i) sum += edge[i] + middle[i];
    #pragma unroll
    for (u32 lanes = HALF_WARP / 2; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, lanes);
    const f32 scale = SHARE_SCALE / f32(most(sum, 1u));
    const u32 edge_shares = upright(root_shares(edge, sum, scale), lower);
    const u32 middle_shares = upright(root_shares(middle, sum, scale), lower);
    if (place == NO_PLACE) return;
    u32* const out = reinterpret_cast<u32*>(args.descriptors + u64(place) * DESCRIPTOR) + pair;
    const u32 row = CELLS * OCTANTS / sizeof(u32); // words of a row of cells
    out[lower ? 3 * row : 0] = edge_shares;
    out[lower ? 2 * row : row] = middle_shares;
}

// A warp writes a Feature, a lane a word: the bus to host memory takes what an instruction writes as one.
__device__ void write_record(const DetectArgs& args, const Candidate& candidate, u32 level, u32 place) {
    const i32 half_x = key_half_x(candidate.key), half_y = key_half_y(candidate.key);
    const u32 threshold = args.thresholds[tile_under(args, half_x, half_y)];
    const u32 lane = threadIdx.x % WARP, words = sizeof(Feature) / sizeof(u32);
    const u32 position = __float_as_uint(lane == 0 ? candidate.u : candidate.v);
    const u32 half = u32(lane == 2 ? half_x : half_y);
    const u32 rest = level | key_class(candidate.key) << 8 | threshold << 16;
    const u32 word = lane < 2 ? position : lane < 4 ? half : lane == 4 ? key_score(candidate.key) : rest;
    if (lane < words) reinterpret_cast<u32*>(args.features + place)[lane] = word;
}

// Writes every selected feature to its place, with its descriptor if wanted. A warp takes two where all warps have
// work: on a large card, with few features, one after the other would take longer.
__device__ void write_features(const DetectArgs& args, PoolShared& pool, DescribeShared& shared) {
    const u32 listed = args.totals[TOTAL_LISTED];
    const u32 half = threadIdx.x % WARP / HALF_WARP, each = listed > grid_warps() ? 2 : 1;
    if (args.describe) clear_beside(shared);
    #pragma unroll 1
    for (u32 first = each * grid_warp(); first < listed; first += each * grid_warps()) {
        u64 key = 0; // of the feature that this half of the warp describes
        u32 own_place = NO_PLACE;
        #pragma unroll 1
        for (u32 k = 0; k < each && first + k < listed; ++k) {
            Candidate candidate;
            const u32 place = place_of(args, pool, first + k, candidate);
            if (place != NO_PLACE) write_record(args, candidate, level_of_position(key_half_x(candidate.key)), place);
            if (k > half) continue; // a second half without a feature goes through the motions of the first
            key = candidate.key;
            own_place = k == half ? place : NO_PLACE;
        }
        if (!args.describe) continue;
        const i32 half_x = key_half_x(key), half_y = key_half_y(key);
        const u32 l = level_of_position(half_x);
        const Level level = level_at(args, l);
        ColumnSums sums;
        sum_square(args.pyramid + level.offset, level, (half_x + 1) >> (l + 1), (half_y + 1) >> (l + 1), sums);
        write_descriptors(args, sums, own_place, shared);
    }
}
