// C10 and the features as they leave: one warp a feature.

const i32 PATCH = 16;    // side of the described square, pixels of the feature's level
const u32 OCTANTS = 8;
const u32 CELLS = 4;     // along each axis
const u32 DESCRIPTOR = CELLS * CELLS * OCTANTS;
const u32 PAIRS = OCTANTS / 2; // octants 2 p and 2 p + 1, sixteen bits each
const u32 COLUMN_SUMS = CELLS * PAIRS * u32(PATCH);

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

// Greatest q with q * q * sum <= 65025 * value: guessed in f32, put right in integers.
__device__ u32 root_share(u32 value, u32 sum) {
    const u64 limit = 65025ull * value;
    u32 q = least(u32(sqrtf(65025.0f * f32(value) / f32(sum))), 255u);
    #pragma unroll 1
    while (u64(q * q) * sum > limit) --q;
    #pragma unroll 1
    while (u64((q + 1) * (q + 1)) * sum <= limit) ++q;
    return q;
}

// What one row gives to a column of the square: the pixels beside it, and its own smoothed along the row.
struct RowPart {
    i32 left, right, across;
};

__device__ RowPart row_part(const u8* pixels, const Level& level, i32 x, i32 y) {
    const u8* row = pixels + u32(least(most(y, 0), level.height - 1)) * level.pitch;
    const i32 left = row[least(most(x - 1, 0), level.width - 1)], right = row[least(most(x + 1, 0), level.width - 1)];
    return {left, right, smooth(left, row[least(most(x, 0), level.width - 1)], right)};
}

// Sums of one column of the square into the rows of cells. A lane takes the upper or the lower eight pixels, from the
// edge to the middle, so that the weights are the same constants for both; the middle rows of cells get parts of both.
__device__ void sum_column(const u8* pixels, const Level& level, i32 x, i32 y, DescribeShared& shared, u32 first) {
    const i32 lane = threadIdx.x % WARP, column = lane % PATCH;
    const bool lower = lane >= PATCH;
    const i32 at_x = x + column - PATCH / 2, step = lower ? -1 : 1;
    i32 at_y = y + (lower ? PATCH / 2 - 1 : -PATCH / 2);
    RowPart before = row_part(pixels, level, at_x, at_y - step), here = row_part(pixels, level, at_x, at_y);
    u32 sums[3][PAIRS] = {}; // at most 32 * 510 each
    #pragma unroll
    for (i32 k = 0; k < PATCH / 2; ++k) {
        at_y += step;
        const RowPart after = row_part(pixels, level, at_x, at_y);
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
        shared.columns[first + (edge * PAIRS + p) * PATCH + column] = sums[0][p];
        shared.columns[first + (middle * PAIRS + p) * PATCH + column] = sums[1][p] + from_other;
    }
}

// The descriptor of the corner at (x, y) of a level. All lanes of a warp call it; `first` is where its columns begin.
__device__ void describe_corner(const DetectArgs& args, const Level& level, i32 x, i32 y, u32 first,
                                DescribeShared& shared, u8* out) {
    sum_column(args.pyramid + level.offset, level, x, y, shared, first);
    __syncwarp();
    // Each lane has two pairs of octants of one cell.
    const i32 lane = threadIdx.x % WARP, row = lane / 8, cell = lane / 2 % i32(CELLS);
    u32 own[4] = {};
    #pragma unroll
    for (u32 p = 0; p < 2; ++p) {
        const u32 columns = first + (row * PAIRS + lane % 2 * 2 + p) * PATCH;
        #pragma unroll
        for (i32 k = -2; k < 6; ++k) {
            const i32 column = 4 * cell + k;
            const u32 pair = column >= 0 && column < PATCH ? shared.columns[columns + column] : 0;
            own[2 * p] += share(k, 0) * (pair & 0xFFFFu);
            own[2 * p + 1] += share(k, 0) * (pair >> 16);
        }
    }
    u32 sum = own[0] + own[1] + own[2] + own[3];
    sum = warp_sum(sum);
    u32 word = 0;
    #pragma unroll
    for (u32 i = 0; i < 4; ++i) word |= (sum == 0 ? 0 : root_share(own[i], sum)) << (8 * i);
    reinterpret_cast<u32*>(out)[lane] = word;
    __syncwarp(); // before the columns are written for the next feature
}

// Writes every selected feature to its place, with its descriptor if wanted.
__device__ void write_features(const DetectArgs& args, OrderShared& order, DescribeShared& shared) {
    for (u32 i = grid_thread() / WARP; i < order.count; i += grid_threads() / WARP) {
        const u64 key = args.order_keys[i];
        const u32 place = place_of(args, key, order);
        const CornerSlot slot = args.slots[args.order_slots[i]];
        const i32 half_x = key_half_x(key), half_y = key_half_y(key);
        const Level level = level_at(args, level_of_position(half_x));
        if (threadIdx.x % WARP == 0) {
            FeatureRecord& feature = args.features[place];
            feature.u = slot.u;
            feature.v = slot.v;
            feature.score = key_score(key);
            feature.half_x = u16(half_x);
            feature.half_y = u16(half_y);
            feature.level = u8(level.index);
            feature.corner_class = u8(key_class(key));
            feature.threshold = args.thresholds[tile_under(args, half_x, half_y)];
            feature.reserved = 0;
        }
        if (args.describe)
            describe_corner(args, level, slot.x, slot.y, threadIdx.x / WARP * COLUMN_SUMS, shared,
                            args.descriptors + u64(place) * DESCRIPTOR);
    }
}
