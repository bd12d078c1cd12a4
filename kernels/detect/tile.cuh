// The share of a block in C4 and C5: a tile of a level, with the pixels around it, in shared memory.

const i32 MARGIN_X = 8; // columns beside a tile in the window: suppression 1 + 1 + 3 pixels, and whole words
const i32 MARGIN_Y = 5; // rows above and below it
const i32 STRENGTH_MARGIN = 2; // V is wanted around a tile for S, S for suppression
const u32 PITCH = TILE + 2 * MARGIN_X; // of a row of pixels, strengths, responses
const u32 WINDOW_PIXELS = PITCH * (TILE + 2 * MARGIN_Y);
const u32 STRENGTHS = PITCH * (TILE + 2 * STRENGTH_MARGIN);
const u32 RESPONSES = PITCH * (TILE + 2);
const u32 TO_WINDOW = PITCH * u32(MARGIN_Y - STRENGTH_MARGIN); // from an index of strengths to that of its pixel
const u32 WANTED_ROWS = TILE + 2 * STRENGTH_MARGIN;
const u32 WANTED = WANTED_ROWS * WANTED_ROWS; // pixels whose V is wanted

// Arrays of rows of PITCH; an index of `strengths` names a pixel.
struct CornerShared {
    alignas(16) Array<u8, WINDOW_PIXELS> pixels;
    alignas(16) Array<u8, STRENGTHS> strengths;  // V where it exceeds tmin, else 0
    alignas(16) Array<u16, RESPONSES> responses; // S; without the first row of strengths
    alignas(16) Array<u16, TILE_SLOTS> peaks;
    Array<u16, WANTED> corners;       // where V exceeds tmin: bright rings from the front, dark ones from the back
    Array<u16, TILE_SLOTS> survivors; // those of suppression
    u32 corner_counts;                // bright ones, and 2^16 times the dark ones
    u32 survivor_count;
};

// A tile and its place.
struct Tile {
    Level level;
    u32 index;     // among those of all levels
    i32 left, top; // px of the level
};

__device__ Tile tile_at(const DetectArgs& args, u32 index) {
    const Level level = level_at(args, level_of_tile(args, index));
    const u32 in_level = index - level.first_tile;
    const u32 row = __umulhi(2 * in_level, level.tiles_x_inverse); // in_level / tiles_x
    return Tile{level, index, i32((in_level - row * level.tiles_x) * TILE), i32(row * TILE)};
}

// Fills the window around the tile, eight pixels a thread; pixels outside the level decide nothing. Rows of a level end
// in padding, so that eight pixels are there where the first one is.
__device__ void load_tile(const DetectArgs& args, const Tile& tile, CornerShared& shared) {
    const i32 across = PITCH / 8, column = threadIdx.x % across * 8, row = threadIdx.x / across;
    const i32 x = tile.left - MARGIN_X + column, y = tile.top - MARGIN_Y + row;
    static_assert(WINDOW_PIXELS <= 8 * BLOCK && STRENGTHS <= 8 * BLOCK, "a thread fills eight pixels at most");
    if (u32(row) < WINDOW_PIXELS / PITCH) {
        const bool inside = x >= 0 && x < tile.level.width && y >= 0 && y < tile.level.height;
        const u8* const pixels = args.pyramid + tile.level.offset + x;
        eight_of(shared.pixels, row * PITCH + column) =
            inside ? *reinterpret_cast<const u64*>(pixels + u32(y) * tile.level.pitch) : 0;
    }
    if (8 * threadIdx.x < STRENGTHS) eight_of(shared.strengths, 8 * threadIdx.x) = 0;
    shared.peaks[threadIdx.x] = 0;
    if (threadIdx.x == 0) shared.corner_counts = shared.survivor_count = 0;
    __syncthreads();
}

// The corners of the tile, once they are listed.
struct CornerCounts {
    u32 bright, dark;
};

__device__ CornerCounts corner_counts(const CornerShared& shared) {
    return CornerCounts{shared.corner_counts & 0xFFFFu, shared.corner_counts >> 16};
}

// Where the i-th of those whose ring is bright, or dark, lies.
__device__ u32 corner_at(CornerShared& shared, bool is_dark, u32 i) {
    return shared.corners[is_dark ? WANTED - 1 - i : i];
}
