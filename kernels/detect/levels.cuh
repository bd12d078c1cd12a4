// C0: where levels, tiles and slots lie.

const u32 TILE = 32;        // side of a tile, pixels of its level
const u32 TILE_SLOTS = 256; // no two survivors of a level touch: at most one in 2 x 2 pixels
const i32 RING_RADIUS = 3;
const i32 BORDER = 4;       // pixels at each side of a level that are no centre

__device__ Level level_at(const DetectArgs& args, u32 index) {
    return index == 0 ? args.level0 : index == 1 ? args.level1 : args.level2;
}

// The level that tile number `tile` belongs to.
__device__ u32 level_of_tile(const DetectArgs& args, u32 tile) {
    if (args.levels > 2 && tile >= args.level2.first_tile) return 2;
    return args.levels > 1 && tile >= args.level1.first_tile ? 1 : 0;
}

// Entry of `peaks` for the 2 x 2 pixels at (2 block_x, 2 block_y): 0, or S of the peak there and where in them it is.
__device__ u32 peak_index(const Level& level, u32 block_x, u32 block_y) {
    return level.first_tile * TILE_SLOTS + block_y * level.tiles_x * (TILE / 2) + block_x;
}
const u32 PEAK_SCORE = 0xFFF; // S is at most 4080
const u32 PEAK_RIGHT = 12, PEAK_LOWER = 13; // bits: whether x, y is odd

// Position of pixel x of a level in half level-0 pixels.
__device__ i32 half_pixels(i32 x, u32 level) { return ((2 * x + 1) << level) - 1; }

// The level-0 pixel under a position in half pixels.
__device__ u32 whole_pixel(i32 half) { return u32(half + 1) >> 1; }

// Number of the level-0 tile under a position in half pixels: where threshold and median are looked up.
__device__ u32 tile_under(const DetectArgs& args, i32 half_x, i32 half_y) {
    return whole_pixel(half_y) / TILE * rounded_up(args.width, TILE) + whole_pixel(half_x) / TILE;
}
