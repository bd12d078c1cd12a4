// C11: the block's shape; levels of a pyramid, patches of them in shared memory, and points between pixels.

const u32 TRACK_BLOCK = 128; // threads: a point
const u32 TRACK_WARPS = TRACK_BLOCK / WARP;

const u32 GREATEST_WINDOW = 31;
const i32 LEAST_MARGIN = 2; // px around what a window needs, so that not every step past a pixel reads anew
const u32 PATCH_SIDE = GREATEST_WINDOW + 1 + 2 * LEAST_MARGIN; // one pixel more for the interpolation
const u32 PATCH_WORDS = 10; // of a row: those that hold so many pixels, wherever they begin
const u32 PATCH_PITCH = 4 * PATCH_WORDS;
static_assert(PATCH_SIDE + 3 <= PATCH_PITCH, "a row may begin at any byte of its first word");

const u32 GREATEST_LEVELS = 3;

// One level of a pyramid.
struct LevelImage {
    const u8* pixels;
    i32 width, height;
    u32 pitch;
};

__device__ LevelImage level_image(const u8* pyramid, const TrackArgs& args, u32 index) {
    u32 width = args.width, height = args.height;
    #pragma unroll
    for (u32 l = 0; l + 1 < GREATEST_LEVELS; ++l) {
        if (l >= index) continue;
        pyramid += level_pitch(width) * height;
        width /= 2;
        height /= 2;
    }
    return LevelImage{pyramid, i32(width), i32(height), level_pitch(width)};
}

// Whether a point lies between the centres of the first and the last pixel.
__device__ bool contains(const LevelImage& level, f32 x, f32 y) {
    return 0.0f <= x && x <= f32(level.width) - 1.0f && 0.0f <= y && y <= f32(level.height) - 1.0f;
}

// The part of a window that counts.
struct Area {
    i32 left, top, columns, rows;
};

__device__ bool operator!=(const Area& a, const Area& b) {
    return a.left != b.left || a.top != b.top || a.columns != b.columns || a.rows != b.rows;
}

// Where `before` pixels before and `after` behind each of the window's lie inside the level, along both axes.
__device__ Area area_inside(const LevelImage& level, i32 x, i32 y, i32 radius, i32 before, i32 after) {
    const i32 side = 2 * radius + 1, first_x = x - radius, first_y = y - radius;
    const i32 left = least(most(before - first_x, 0), side), top = least(most(before - first_y, 0), side);
    const i32 right = least(most(level.width - after - first_x, left), side);
    const i32 bottom = least(most(level.height - after - first_y, top), side);
    return Area{left, top, right - left, bottom - top};
}

__device__ Area overlap(const Area& a, const Area& b) {
    const i32 left = most(a.left, b.left), top = most(a.top, b.top);
    const i32 right = least(a.left + a.columns, b.left + b.columns), bottom = least(a.top + a.rows, b.top + b.rows);
    return Area{left, top, most(right - left, 0), most(bottom - top, 0)};
}

const u32 PATCH_BYTES = PATCH_SIDE * PATCH_PITCH + 4; // the last run of a window may look beyond the last row

// A square of pixels, its rows in whole words as they lie in the level.
struct Patch {
    alignas(4) Array<u8, PATCH_BYTES> bytes;
    i32 left, top; // its first pixel, px of the level

    // Where the pixel at (x, y) of the level is.
    __device__ u32 index(i32 x, i32 y) const { return u32(y - top) * PATCH_PITCH + u32(x - (left & ~3)); }
};

const u32 PATCH_READS = 3; // words of a patch for each thread
static_assert(PATCH_BYTES <= 4 * PATCH_READS * TRACK_BLOCK, "the words of a patch in one go");

// Reads `side` rows of as many pixels or more from (left, top) on, a thread's words; what is outside the level counts
// nowhere.
__device__ void read_patch(const LevelImage& level, i32 left, i32 top, u32 side, u32 (&words)[PATCH_READS]) {
    const u32 thread = anew(threadIdx.x);
    #pragma unroll
    for (u32 k = 0; k < PATCH_READS; ++k) {
        const u32 i = thread + k * TRACK_BLOCK, row = i / PATCH_WORDS;
        const u32 x = u32(left & ~3) + i % PATCH_WORDS * 4, y = u32(top) + row;
        const bool inside = row < side && x < u32(level.width) && y < u32(level.height);
        words[k] = inside ? *reinterpret_cast<const u32*>(level.pixels + y * level.pitch + x) : 0;
    }
}

// Leaves what was read in the patch, whose pixels before have been used.
__device__ void keep_patch(i32 left, i32 top, const u32 (&words)[PATCH_READS], Patch& patch) {
    if (threadIdx.x == 0) {
        patch.left = left;
        patch.top = top;
    }
    const u32 thread = anew(threadIdx.x);
    #pragma unroll
    for (u32 k = 0; k < PATCH_READS; ++k) {
        const u32 i = thread + k * TRACK_BLOCK;
        if (i < PATCH_BYTES / 4) word_of(patch.bytes, 4 * i) = words[k];
    }
}

// A point: the pixel before it, and the weights of that pixel, of those to the right, below, and both, in 2^-14.
struct Point {
    i32 x, y;
    i32 weights[4];
};

__device__ Point point_at(f32 x, f32 y) {
    const f32 left = floorf(x), top = floorf(y);
    const f32 a = x - left, b = y - top;
    const i32 here = __float2int_rn(((1.0f - a) * (1.0f - b)) * 16384.0f);
    const i32 right = __float2int_rn((a * (1.0f - b)) * 16384.0f);
    const i32 below = __float2int_rn(((1.0f - a) * b) * 16384.0f);
    return Point{i32(left), i32(top), {here, right, below, (1 << 14) - here - right - below}};
}
