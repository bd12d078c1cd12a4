// C0: where levels, tiles and slots lie.

const u32 TILE = 32;        // side of a tile, pixels of its level
const u32 TILE_SLOTS = 256; // no two survivors of a level touch: at most one in 2 x 2 pixels
const i32 RING_RADIUS = 3;
const i32 BORDER = 4;       // pixels at each side of a level that are no centre

// One pyramid level.
struct Level {
    u32 index;
    i32 width, height;
    u32 pitch;      // pixels a row, in `pyramid` and `peaks`
    u32 offset;     // of the first pixel there
    u32 tiles_x, tiles_y;
    u32 first_tile; // tiles of all levels are numbered through, row by row
};

__device__ Level level_at(const DetectArgs& args, u32 index) {
    u32 width = args.width, height = args.height, offset = 0, first_tile = 0;
    for (u32 l = 0; l < index; ++l) {
        offset += level_pitch(width) * height;
        first_tile += rounded_up(width, TILE) * rounded_up(height, TILE);
        width /= 2;
        height /= 2;
    }
    return Level{index, i32(width), i32(height), level_pitch(width), offset,
                 rounded_up(width, TILE), rounded_up(height, TILE), first_tile};
}

__device__ u32 tiles_of_all_levels(const DetectArgs& args) {
    const Level last = level_at(args, args.levels - 1);
    return last.first_tile + last.tiles_x * last.tiles_y;
}

// The level that tile number `tile` belongs to.
__device__ Level level_of_tile(const DetectArgs& args, u32 tile) {
    Level level = level_at(args, 0);
    while (tile >= level.first_tile + level.tiles_x * level.tiles_y) level = level_at(args, level.index + 1);
    return level;
}

// Position of pixel x of a level in half level-0 pixels.
__device__ i32 half_pixels(i32 x, u32 level) { return ((2 * x + 1) << level) - 1; }

// The level-0 pixel under a position in half pixels.
__device__ u32 whole_pixel(i32 half) { return u32(half + 1) >> 1; }

// Number of the level-0 tile under a position in half pixels: where threshold and median are looked up.
__device__ u32 tile_under(const DetectArgs& args, i32 half_x, i32 half_y) {
    return whole_pixel(half_y) / TILE * rounded_up(args.width, TILE) + whole_pixel(half_x) / TILE;
}
