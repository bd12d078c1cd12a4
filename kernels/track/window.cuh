// C11: the windows about a point, and the sums over them. Integers, so that each lane may take any pixels.

const u32 INTENSITY_SHIFT = 9;  // leaves 1/32 grey level
const u32 GRADIENT_SHIFT = 14;  // leaves Scharr's scale, which is 32 as well

typedef Array<i16, GREATEST_WINDOW * GREATEST_WINDOW> Values;

enum FlowStatus : u32 { TRACKED = 0, OUTSIDE = 1, LOW_TEXTURE = 2, RESIDUAL = 3, INCONSISTENT = 4, SEARCHING = 5 };

// What a search found; the smaller eigenvalue remains in shared memory.
struct Found {
    u32 status;
    f32 x, y;   // motion from the start, px
    f32 residual;
};

// Level-0 px.
struct Place {
    f32 u, v;
};

const u32 NEW_PIXEL = 1, NEW_PATCH = 2; // the window's pixel is another than before; it lies beyond the patch read

// Where a search is; one thread keeps it.
struct Progress {
    u32 status;     // of the level: SEARCHING, or how it has ended
    u32 steps;      // taken there
    Place from;     // where the search begins, px of the level
    Place motion;   // before the level, level-0 px
    f32 x, y;       // motion, px of the level
    f32 residual;   // of the last step there
    Point point;    // where the next window lies, while searching
    u32 news;             // what about it is new: NEW_PIXEL, NEW_PATCH
    i32 patch_x, patch_y; // pixel that the patch was read for
};

// What a block shares. What all threads would hold alike is here, not in registers.
struct TrackShared {
    Place from;  // where the search begins
    Found there; // of the forward search
    System system;
    Progress progress;
    LevelImage to; // the level in which is searched
    Partial partial;
    Patch patch;
    Values intensity, x, y; // the template: I, and the gradients along x and y
};

// Gradients at the point of the middle of 4 x 4 pixels from `at` on: Scharr's at the middle four, interpolated.
__device__ void gradients(Patch& patch, u32 at, u32 pitch, const Point& point, i32& x, i32& y) {
    i32 p[4][4];
    #pragma unroll
    for (u32 j = 0; j < 4; ++j)
        #pragma unroll
        for (u32 i = 0; i < 4; ++i) p[j][i] = patch[at + j * pitch + i];
    const i32 weights[2][2] = {{point.here, point.right}, {point.below, point.both}};
    x = y = 1 << (GRADIENT_SHIFT - 1);
    #pragma unroll
    for (u32 j = 0; j < 2; ++j)
        #pragma unroll
        for (u32 i = 0; i < 2; ++i) {
            const i32 corners = p[j + 2][i + 2] - p[j][i], others = p[j + 2][i] - p[j][i + 2];
            x += weights[j][i] * (3 * (corners - others) + 10 * (p[j + 1][i + 2] - p[j + 1][i]));
            y += weights[j][i] * (3 * (corners + others) + 10 * (p[j + 2][i + 1] - p[j][i + 1]));
        }
    x >>= GRADIENT_SHIFT;
    y >>= GRADIENT_SHIFT;
}

// Intensity at a point right of and below pixel `at`.
__device__ i32 intensity(Patch& patch, u32 at, u32 pitch, const Point& point) {
    return interpolated(point, patch[at], patch[at + 1], patch[at + pitch], patch[at + pitch + 1], INTENSITY_SHIFT);
}

// Fills the template about a point. All threads call it.
__device__ void fill_template(const LevelImage& level, const Point& point, u32 radius, TrackShared& shared) {
    const u32 side = 2 * radius + 1, pitch = side + 3; // one pixel more for the interpolation, one a side for gradients
    load_patch(level, point.x - i32(radius) - 1, point.y - i32(radius) - 1, pitch, shared.patch);
    const Rows rows = rows_of(side);
    #pragma unroll 1
    for (u32 i = threadIdx.x; i < side * side; i += TRACK_BLOCK) {
        const u32 row = rows.row(i), at = i + row * (pitch - side);
        i32 x, y;
        gradients(shared.patch, at, pitch, point, x, y);
        shared.intensity[i] = i16(intensity(shared.patch, at + pitch + 1, pitch, point));
        shared.x[i] = i16(x);
        shared.y[i] = i16(y);
    }
    __syncthreads();
}

// Sums over an area of the template, the whole one for the first time. All threads call it.
__device__ void sum_template(u32 radius, bool free_light, const Area& area, bool whole, TrackShared& shared) {
    const u32 side = 2 * radius + 1, n = u32(area.columns * area.rows), first = u32(area.top) * side + u32(area.left);
    const Rows rows = rows_of(u32(most(area.columns, 1)));
    i32 sum_i = 0, sum_x = 0, sum_y = 0, ii = 0, xi = 0, yi = 0, xx = 0, xy = 0, yy = 0;
    #pragma unroll 1
    for (u32 pixel = threadIdx.x; pixel < n; pixel += TRACK_BLOCK) {
        const u32 at = first + pixel + rows.row(pixel) * (side - rows.side);
        const i32 i = shared.intensity[at], x = shared.x[at], y = shared.y[at];
        sum_i += i;
        sum_x += x;
        sum_y += y;
        ii += i * i;
        xi += x * i;
        yi += y * i;
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    keep_quad(0, ii, xi, yi, xx, shared.partial);
    keep_quad(1, xy, yy, sum_i, sum_x, shared.partial);
    keep_quad(2, sum_y, 0, 0, 0, shared.partial);
    __syncthreads();
    if (threadIdx.x == 0) {
        System& system = shared.system;
        system.sum_ii = block_total(0, 0, shared.partial);
        system.sum_xi = block_total(0, 1, shared.partial);
        system.sum_yi = block_total(0, 2, shared.partial);
        system.sum_xx = block_total(0, 3, shared.partial);
        system.sum_xy = block_total(1, 0, shared.partial);
        system.sum_yy = block_total(1, 1, shared.partial);
        system.i = i32(block_total(1, 2, shared.partial));
        system.x = i32(block_total(1, 3, shared.partial));
        system.y = i32(block_total(2, 0, shared.partial));
        system.area = area;
        system.rows = rows;
        set_up(system, free_light, n);
        if (whole) system.min_eigenvalue = smaller_eigenvalue(system, weight(free_light, n));
    }
    __syncthreads();
}

// Sums of the template's area with the window J, whose pixels are in the patch. All threads call it; the totals are
// left for take_step.
__device__ void sum_pair(u32 radius, bool free_light, TrackShared& shared) {
    const Area area = shared.system.area;
    const Rows rows = shared.system.rows;
    const Point point = shared.progress.point;
    const u32 left = u32(point.x - shared.progress.patch_x + PATCH_MARGIN + area.left);
    const u32 top = u32(point.y - shared.progress.patch_y + PATCH_MARGIN + area.top);
    const u32 side = 2 * radius + 1, pitch = side + 1 + 2 * PATCH_MARGIN, n = u32(area.columns * area.rows);
    const u32 first = u32(area.top) * side + u32(area.left), first_pixel = top * pitch + left;
    const u32 each = 4; // pixels at once: enough for a window of 21
    i32 sum_j = 0, jj = 0, ij = 0, xj = 0, yj = 0;
    #pragma unroll 1
    for (u32 begin = threadIdx.x; begin < n; begin += each * TRACK_BLOCK) {
        #pragma unroll
        for (u32 k = 0; k < each; ++k) {
            const u32 pixel = begin + k * TRACK_BLOCK, i = least(pixel, n - 1), row = rows.row(i);
            const u32 at = first + i + row * (side - rows.side);
            const i32 there = intensity(shared.patch, first_pixel + i + row * (pitch - rows.side), pitch, point);
            const i32 j = pixel < n ? there : 0;
            sum_j += j;
            jj += j * j;
            ij += shared.intensity[at] * j;
            xj += shared.x[at] * j;
            yj += shared.y[at] * j;
        }
    }
    keep_quad(0, xj, yj, ij, jj, shared.partial);
    if (free_light) keep_quad(1, sum_j, 0, 0, 0, shared.partial);
}
