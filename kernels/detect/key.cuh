// C7 as one number, and what is looked up by position: level and cell.

const u64 NO_KEY = ~0ull;
const u32 SCORE_MASK = 0xFFFu; // S is at most 4080
const i32 KEY_BITS = 45;
const u64 NEXT_KEY = 1ull << 63; // marks a selected candidate that is beyond the quota of its cell

// The order of C7 as one number: class up, S down, Y up, X up. X tells the level as well, so that no two are equal.
__device__ u64 order_key(u32 corner_class, u32 score, i32 half_x, i32 half_y) {
    return u64(corner_class) << 44 | u64(SCORE_MASK - score) << 32 | u64(half_y) << 16 | u64(half_x);
}
__device__ u32 key_class(u64 key) { return u32(key >> 44); }
__device__ u32 key_score(u64 key) { return SCORE_MASK - (u32(key >> 32) & SCORE_MASK); }
__device__ i32 key_half_y(u64 key) { return i32(key >> 16) & 0xFFFF; }
__device__ i32 key_half_x(u64 key) { return i32(key) & 0xFFFF; }

// The level of a position: X is 2^level - 1 modulo 2^(level + 1).
__device__ u32 level_of_position(i32 half_x) { return u32(__ffs(half_x + 1)) - 1; }

// Cell of the uniformity grid (C8).
__device__ u32 cell_under(const DetectArgs& args, i32 half_x, i32 half_y) {
    const u32 column = u32(half_x + 1) * args.grid_x / (2 * args.width);
    const u32 row = u32(half_y + 1) * args.grid_y / (2 * args.height);
    return row * args.grid_x + column;
}

const u32 CLASS_BINS = 512;
const u32 ORDER_BINS = 2 * CLASS_BINS;

// Bins go up with the key: S by its five bits after the leading one, greatest first.
__device__ u32 order_bin(u64 key) {
    const u32 score = key_score(key);
    const u32 leading = 31 - __clz(score | 1u);
    const u32 code = leading < 5 ? score : (leading - 4) * 32 + ((score >> (leading - 5)) & 31u);
    return key_class(key) * CLASS_BINS + (CLASS_BINS - 1 - code);
}

// The greatest key that falls into a bin.
__device__ u64 last_of_bin(u32 bin) {
    const u32 code = CLASS_BINS - 1 - bin % CLASS_BINS;
    const u32 least_score = code < 32 ? code : (32 | (code & 31u)) << (code / 32 - 1);
    return order_key(bin / CLASS_BINS, least_score, 0xFFFF, 0xFFFF);
}
