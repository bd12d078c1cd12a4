// C11: the block's shape; levels of a pyramid, patches of them in shared memory, and points between pixels.

const u32 TRACK_BLOCK = 128; // threads: a point
const u32 TRACK_WARPS = TRACK_BLOCK / WARP;

const u32 GREATEST_WINDOW = 31;
const i32 PATCH_MARGIN = 2; // px around what a window needs, so that not every step past a pixel reads anew
const u32 GREATEST_PATCH = GREATEST_WINDOW + 1 + 2 * PATCH_MARGIN; // one pixel more for the interpolation

typedef Array<u8, GREATEST_PATCH * GREATEST_PATCH> Patch;

// One level of a pyramid.
struct LevelImage {
    const u8* pixels;
    i32 width, height;
    u32 pitch;
};

__device__ LevelImage level_image(const u8* pyramid, const TrackArgs& args, u32 index) {
    u32 width = args.width, height = args.height;
    for (u32 l = 0; l < index; ++l) {
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

// Rows of `side` pixels, by the number of a pixel.
struct Rows {
    u32 side, inverse; // 2^31 / side, rounded up

    __device__ u32 row(u32 i) const { return __umulhi(2 * i, inverse); } // i / side
};

__device__ Rows rows_of(u32 side) { return Rows{side, (0x80000000u + side - 1) / side}; }

// Copies side x side pixels from (left, top) on; those outside the level are the nearest inside it. All threads call
// it, when all have read what was in the patch.
__device__ void load_patch(const LevelImage& level, i32 left, i32 top, u32 side, Patch& patch) {
    const u32 each = 6; // pixels a thread has on the way at once: enough for a window of 21
    const Rows rows = rows_of(side);
    #pragma unroll 1
    for (u32 first = threadIdx.x; first < side * side; first += each * TRACK_BLOCK) {
        u8 pixels[each];
        #pragma unroll
        for (u32 k = 0; k < each; ++k) {
            const u32 i = least(first + k * TRACK_BLOCK, side * side - 1), row = rows.row(i);
            const i32 x = least(most(left + i32(i - row * side), 0), level.width - 1);
            const i32 y = least(most(top + i32(row), 0), level.height - 1);
            pixels[k] = level.pixels[u32(y) * level.pitch + u32(x)];
        }
        #pragma unroll
        for (u32 k = 0; k < each; ++k)
            if (first + k * TRACK_BLOCK < side * side) patch[first + k * TRACK_BLOCK] = pixels[k];
    }
    __syncthreads();
}

// A point: the pixel before it, and the weights of that pixel, of those to the right, below, and both, in 2^-14.
struct Point {
    i32 x, y;
    i32 here, right, below, both;
};

__device__ Point point_at(f32 x, f32 y) {
    const f32 left = floorf(x), top = floorf(y);
    const f32 a = x - left, b = y - top;
    const i32 here = __float2int_rn(((1.0f - a) * (1.0f - b)) * 16384.0f);
    const i32 right = __float2int_rn((a * (1.0f - b)) * 16384.0f);
    const i32 below = __float2int_rn(((1.0f - a) * b) * 16384.0f);
    return Point{i32(left), i32(top), here, right, below, (1 << 14) - here - right - below};
}

// Four neighbours at a point between them, rounded half up after division by 2^shift.
__device__ i32 interpolated(const Point& point, i32 here, i32 right, i32 below, i32 both, u32 shift) {
    const i32 sum = point.here * here + point.right * right + point.below * below + point.both * both;
    return (sum + (1 << (shift - 1))) >> shift;
}
