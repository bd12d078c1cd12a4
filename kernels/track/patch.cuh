// C11: levels of a pyramid, patches of them in shared memory, and points between pixels.

const u32 GREATEST_WINDOW = 31;
const u32 GREATEST_PATCH = GREATEST_WINDOW + 3; // one pixel more for the interpolation, one at each side for gradients

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

// A lane's way through rows of `side` pixels, 32 pixels a step, without a division a pixel.
struct Walk {
    u32 x, y;

    __device__ void next(u32 side) {
        x += WARP % side;
        y += WARP / side;
        if (x >= side) {
            x -= side;
            ++y;
        }
    }
};

__device__ Walk walk(u32 side) {
    const u32 lane = threadIdx.x % WARP;
    return Walk{lane % side, lane / side};
}

// Copies side x side pixels from (left, top) on; those outside the level are the nearest inside it. All lanes call it.
__device__ void load_patch(const LevelImage& level, i32 left, i32 top, u32 side, Patch& patch) {
    const bool inside = left >= 0 && top >= 0 && left + i32(side) <= level.width && top + i32(side) <= level.height;
    __syncwarp(); // what was in the patch has been read
    for (Walk w = walk(side); w.y < side; w.next(side)) {
        i32 x = left + i32(w.x), y = top + i32(w.y);
        if (!inside) {
            x = least(most(x, 0), level.width - 1);
            y = least(most(y, 0), level.height - 1);
        }
        patch[w.y * side + w.x] = level.pixels[u32(y) * level.pitch + u32(x)];
    }
    __syncwarp();
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
