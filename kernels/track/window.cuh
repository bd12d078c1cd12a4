// C11: the windows about a point, and the sums over them. Integers, so that each lane may take any pixels.

const u32 INTENSITY_SHIFT = 9;  // leaves 1/32 grey level
const u32 GRADIENT_SHIFT = 14;  // leaves Scharr's scale, which is 32 as well

typedef Array<i16, GREATEST_WINDOW * GREATEST_WINDOW> Values;

enum FlowStatus : u32 { TRACKED = 0, OUTSIDE = 1, LOW_TEXTURE = 2, RESIDUAL = 3, INCONSISTENT = 4 };

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

// What a track's warp shares. What all lanes would hold alike is here, not in registers.
struct WindowShared {
    Place from;  // where the search begins
    Found there; // of the forward search
    System system;
    Patch patch;
    Values intensity, x, y; // the template: I, and the gradients along x and y
};

// Sum over the warp, for all of its lanes.
__device__ i32 total(i32 value) { return i32(warp_sum(u32(value))); }

__device__ i64 wide_total(i32 value) {
    u64 sum = u64(i64(value));
    #pragma unroll
    for (u32 step = WARP / 2; step > 0; step /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, step);
    return i64(sum);
}

// One lane writes what all of them hold.
template <typename T>
__device__ void keep(T& place, T value) {
    if (threadIdx.x % WARP == 0) place = value;
}

// Gradients at the point of the middle of 4 x 4 pixels from `at` on: Scharr's at the middle four, interpolated.
__device__ void gradients(Patch& patch, u32 at, u32 pitch, const Point& point, i32& x, i32& y) {
    i32 p[4][4];
    #pragma unroll
    for (u32 j = 0; j < 4; ++j)
        #pragma unroll
        for (u32 i = 0; i < 4; ++i) p[j][i] = patch[at + j * pitch + i];
    i32 across[2][2], along[2][2];
    #pragma unroll
    for (u32 j = 0; j < 2; ++j)
        #pragma unroll
        for (u32 i = 0; i < 2; ++i) {
            const i32 corners = p[j + 2][i + 2] - p[j][i], others = p[j + 2][i] - p[j][i + 2];
            across[j][i] = 3 * (corners - others) + 10 * (p[j + 1][i + 2] - p[j + 1][i]);
            along[j][i] = 3 * (corners + others) + 10 * (p[j + 2][i + 1] - p[j][i + 1]);
        }
    x = interpolated(point, across[0][0], across[0][1], across[1][0], across[1][1], GRADIENT_SHIFT);
    y = interpolated(point, along[0][0], along[0][1], along[1][0], along[1][1], GRADIENT_SHIFT);
}

// Intensity at a point right of and below pixel `at`.
__device__ i32 intensity(Patch& patch, u32 at, u32 pitch, const Point& point) {
    return interpolated(point, patch[at], patch[at + 1], patch[at + pitch], patch[at + pitch + 1], INTENSITY_SHIFT);
}

// Fills the template about a point. All lanes call it.
__device__ void fill_template(const LevelImage& level, const Point& point, u32 radius, WindowShared& shared) {
    const u32 side = 2 * radius + 1, pitch = side + 3;
    load_patch(level, point.x - i32(radius) - 1, point.y - i32(radius) - 1, pitch, shared.patch);
    #pragma unroll 1
    for (Walk w = walk(side); w.y < side; w.next(side)) {
        const u32 at = w.y * pitch + w.x, to = w.y * side + w.x;
        i32 x, y;
        gradients(shared.patch, at, pitch, point, x, y);
        shared.intensity[to] = i16(intensity(shared.patch, at + pitch + 1, pitch, point));
        shared.x[to] = i16(x);
        shared.y[to] = i16(y);
    }
}

// Sums over an area of the template, the whole one for the first time. All lanes call it.
__device__ void sum_template(u32 radius, bool free_light, const Area& area, bool whole, WindowShared& shared) {
    const u32 side = 2 * radius + 1, columns = u32(area.columns), first = u32(area.top) * side + u32(area.left);
    __syncwarp(); // the template has been filled, the sums have been read
    i32 sum_i = 0, sum_x = 0, sum_y = 0, ii = 0, xi = 0, yi = 0, xx = 0, xy = 0, yy = 0; // at most 31 pixels
    #pragma unroll 1
    for (Walk w = walk(most(columns, 1u)); w.y < u32(area.rows) && columns > 0; w.next(columns)) {
        const u32 at = first + w.y * side + w.x;
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
    System& system = shared.system;
    keep(system.i, total(sum_i));
    keep(system.x, total(sum_x));
    keep(system.y, total(sum_y));
    keep(system.sum_ii, wide_total(ii));
    keep(system.sum_xi, wide_total(xi));
    keep(system.sum_yi, wide_total(yi));
    keep(system.sum_xx, wide_total(xx));
    keep(system.sum_xy, wide_total(xy));
    keep(system.sum_yy, wide_total(yy));
    keep(system.area, area);
    if (threadIdx.x % WARP == 0) {
        const u32 n = columns * u32(area.rows);
        set_up(system, free_light, n);
        if (whole) system.min_eigenvalue = smaller_eigenvalue(system, weight(free_light, n));
    }
    __syncwarp();
}

// Sums of the template's area with the window J, whose pixels are in the patch. All lanes call it.
__device__ PairSums pair_sums(const Point& point, u32 radius, WindowShared& shared) {
    const Area area = shared.system.area;
    const u32 side = 2 * radius + 1, pitch = side + 1, columns = u32(area.columns), rows = u32(area.rows);
    const u32 first = u32(area.top) * side + u32(area.left), first_pixel = first + u32(area.top);
    i32 sum_j = 0, jj = 0, ij = 0, xj = 0, yj = 0;
    #pragma unroll 1
    for (Walk w = walk(columns); w.y < rows; w.next(columns)) {
        const u32 at = first + w.y * side + w.x;
        const i32 j = intensity(shared.patch, first_pixel + w.y * pitch + w.x, pitch, point);
        sum_j += j;
        jj += j * j;
        ij += shared.intensity[at] * j;
        xj += shared.x[at] * j;
        yj += shared.y[at] * j;
    }
    return PairSums{total(sum_j), wide_total(jj), wide_total(ij), wide_total(xj), wide_total(yj)};
}
