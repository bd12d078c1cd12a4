// C10 and the features as they leave: one warp a feature.

const i32 PATCH = 16;    // side of the described square, pixels of the feature's level
const u32 OCTANTS = 8;
const u32 CELLS = 4;     // along each axis
const u32 DESCRIPTOR = CELLS * CELLS * OCTANTS;
const u32 PAIRS = OCTANTS / 2; // octants 2 p and 2 p + 1, sixteen bits each
const i32 BESIDE = 2;    // columns of zeros at each side, for the halves of the outer cells that lie outside the square
const u32 ROW_SUMS = u32(PATCH + 2 * BESIDE);
const u32 COLUMN_SUMS = CELLS * PAIRS * ROW_SUMS;

struct DescribeShared {
    Array<u32, WARPS * COLUMN_SUMS> columns; // per warp: row of cells, pair of octants, column of the square
};

// Share of pixel `i` of a row or column in cell `c` along it, eighths.
__device__ constexpr u32 share(i32 i, i32 c) {
    return 2 * i - 3 - 8 * c < 0 ? (8 + 2 * i - 3 - 8 * c < 0 ? 0u : u32(8 + 2 * i - 3 - 8 * c))
                                 : (8 - (2 * i - 3 - 8 * c) < 0 ? 0u : u32(8 - (2 * i - 3 - 8 * c)));
}

// A gradient as parts along its nearest axis (even octants) and diagonal (odd ones), in pairs.
__device__ void directions(i32 gx, i32 gy, u32 (&pairs)[PAIRS]) {
    const u32 right = most(gx, 0), left = most(-gx, 0), down = most(gy, 0), up = most(-gy, 0);
    const u32 across = right + left, along = down + up;
    pairs[0] = (most(right, along) - along) | least(right, down) << 17;
    pairs[1] = (most(down, across) - across) | least(left, down) << 17;
    pairs[2] = (most(left, along) - along) | least(left, up) << 17;
    pairs[3] = (most(up, across) - across) | least(right, up) << 17;
}

// Three pixels across the direction of a difference.
__device__ i32 smooth(i32 a, i32 b, i32 c) { return (a + 2 * b + c + 2) >> 2; }

// Greatest q with q * q * sum <= 65025 * value; scale is 65025 / sum. The guess in f32 is right or one too great: it is
// raised by more than its error, and both stay far below 1.
__device__ u32 root_share(u32 value, u32 sum, f32 scale) {
    const u32 q = u32(sqrtf(f32(value) * scale) + 0.01f);
    return u64(q * q) * sum > 65025ull * value ? q - 1 : q;
}

// What one row gives to a column of the square: the pixels beside it, and its own smoothed along the row.
struct RowPart {
    i32 left, right, across;
};

// INSIDE: the patch and the pixels around it lie in the level, so that no edge need be repeated.
template <bool INSIDE>
__device__ RowPart row_part(const u8* pixels, const Level& level, i32 x, i32 y) {
    const u8* row = pixels + u32(INSIDE ? y : least(most(y, 0), level.height - 1)) * level.pitch;
    const i32 last = level.width - 1;
    const i32 left = row[INSIDE ? x - 1 : least(most(x - 1, 0), last)];
    const i32 right = row[INSIDE ? x + 1 : least(most(x + 1, 0), last)];
    return {left, right, smooth(left, row[INSIDE ? x : least(most(x, 0), last)], right)};
}

// Sums of one column of the square into the rows of cells. A lane takes the upper or the lower eight pixels, from the
// edge to the middle, so that the weights are the same constants for both; the middle rows of cells get parts of both.
template <bool INSIDE>
__device__ void sum_column(const u8* pixels, const Level& level, i32 x, i32 y, DescribeShared& shared, u32 first) {
    const i32 lane = threadIdx.x % WARP, column = lane % PATCH;
    const bool lower = lane >= PATCH;
    const i32 at_x = x + column - PATCH / 2, step = lower ? -1 : 1;
    i32 at_y = y + (lower ? PATCH / 2 - 1 : -PATCH / 2);
    RowPart before = row_part<INSIDE>(pixels, level, at_x, at_y - step);
    RowPart here = row_part<INSIDE>(pixels, level, at_x, at_y);
    u32 sums[3][PAIRS] = {}; // at most 32 * 510 each
    #pragma unroll
    for (i32 k = 0; k < PATCH / 2; ++k) {
        at_y += step;
        const RowPart after = row_part<INSIDE>(pixels, level, at_x, at_y);
        u32 pairs[PAIRS];
        directions(smooth(before.right, here.right, after.right) - smooth(before.left, here.left, after.left),
                   step * (after.across - before.across), pairs);
        #pragma unroll
        for (i32 c = 0; c < 3; ++c)
            #pragma unroll
            for (u32 p = 0; p < PAIRS; ++p) sums[c][p] += share(k, c) * pairs[p];
        before = here;
        here = after;
    }
    const u32 edge = lower ? CELLS - 1 : 0, middle = lower ? CELLS - 2 : 1;
    #pragma unroll
    for (u32 p = 0; p < PAIRS; ++p) {
        const u32 from_other = __shfl_xor_sync(ALL_LANES, sums[2][p], PATCH);
        shared.columns[first + (edge * PAIRS + p) * ROW_SUMS + column + BESIDE] = sums[0][p];
        shared.columns[first + (middle * PAIRS + p) * ROW_SUMS + column + BESIDE] = sums[1][p] + from_other;
    }
}

// The descriptor of the corner at (x, y) of a level. All lanes of a warp call it; `first` is where its columns begin.
__device__ void describe_corner(const DetectArgs& args, const Level& level, i32 x, i32 y, u32 first,
                                DescribeShared& shared, u8* out) {
    const u8* const pixels = args.pyramid + level.offset;
    const i32 reach = PATCH / 2 + 1;
    if (x >= reach && y >= reach && x + reach <= level.width && y + reach <= level.height)
        sum_column<true>(pixels, level, x, y, shared, first);
    else
        sum_column<false>(pixels, level, x, y, shared, first);
    __syncwarp();
    // Each lane has two pairs of octants of one cell.
    const u32 lane = threadIdx.x % WARP, row = lane / 8, cell = lane / 2 % CELLS;
    u32 own[4] = {};
    #pragma unroll
    for (u32 p = 0; p < 2; ++p) {
        const u32 columns = first + (row * PAIRS + lane % 2 * 2 + p) * ROW_SUMS + 4 * cell;
        #pragma unroll
        for (i32 k = 0; k < 8; ++k) {
            const u32 pair = shared.columns[columns + u32(k)];
            own[2 * p] += share(k - BESIDE, 0) * (pair & 0xFFFFu);
            own[2 * p + 1] += share(k - BESIDE, 0) * (pair >> 16);
        }
    }
    const u32 sum = warp_sum(own[0] + own[1] + own[2] + own[3]);
    const f32 scale = 65025.0f / f32(most(sum, 1u));
    u32 word = 0;
    #pragma unroll
    for (u32 i = 0; i < 4; ++i) word |= root_share(own[i], sum, scale) << (8 * i);
    reinterpret_cast<u32*>(out)[lane] = word;
    __syncwarp(); // before the columns are written for the next feature
}

// Clears what lies beside the square; it stays so.
__device__ void clear_beside(DescribeShared& shared) {
    for (u32 i = threadIdx.x; i < WARPS * CELLS * PAIRS * 2 * BESIDE; i += BLOCK) {
        const u32 row = i / (2 * BESIDE), beside = i % (2 * BESIDE);
        shared.columns[row * ROW_SUMS + (beside < BESIDE ? beside : beside + PATCH)] = 0;
    }
    __syncthreads();
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

// Writes every selected feature to its place, with its descriptor if wanted.
__device__ void write_features(const DetectArgs& args, DescribeShared& shared) {
    const u32 listed = args.totals[TOTAL_LISTED], remaining = args.totals[TOTAL_REMAINING];
    if (blockIdx.x >= listed) return; // not one for the first of its warps
    if (args.describe) clear_beside(shared);
    for (u32 i = grid_warp(); i < listed; i += grid_warps()) {
        Candidate candidate = args.selected[i];
        const bool is_next = (candidate.key & NEXT_KEY) != 0;
        candidate.key &= ~NEXT_KEY;
        u32 place;
        if (!place_of(args, candidate.key, is_next, remaining, place)) continue;
        const i32 half_x = key_half_x(candidate.key), half_y = key_half_y(candidate.key);
        const u32 l = level_of_position(half_x);
        write_record(args, candidate, l, place);
        if (args.describe)
            describe_corner(args, level_at(args, l), (half_x + 1) >> (l + 1), (half_y + 1) >> (l + 1),
                            threadIdx.x / WARP * COLUMN_SUMS, shared, args.descriptors + u64(place) * DESCRIPTOR);
    }
}
