// C11: the windows about a point, and the sums over them. Integers, so that each lane may take any pixels.

const u32 INTENSITY_SHIFT = 9;  // leaves 1/32 grey level
const u32 GRADIENT_SHIFT = 14;  // leaves Scharr's scale, which is 32 as well

enum FlowStatus : u32 { TRACKED = 0, OUTSIDE = 1, LOW_TEXTURE = 2, RESIDUAL = 3, INCONSISTENT = 4, SEARCHING = 5 };

// What a search found; the smaller eigenvalue remains in shared memory.
struct Found {
    u32 status;
    f32 x, y;   // motion from the start, px
    f32 residual;
};

// A place or a motion, px.
struct Place {
    f32 u, v;
};

// What is searched, and how.
struct Search {
    Place from;    // where it begins, level-0 px
    Place motion;  // found so far, level-0 px
    f32 residual;  // 0 unless it was measured
    u32 levels, radius;
    bool there;    // from the previous image to the current one
};

// How far a level is searched.
struct Progress {
    u32 status;     // SEARCHING, or how the level has ended
    u32 steps;      // taken there
    f32 x, y;       // motion, px of the level
    Place last;     // the last step, px of the level
    f32 stretch;    // by which it was made longer
    Point point;    // where the next window lies, while searching; at the end the last one
};

// What a block shares. What all threads would hold alike is here, not in registers.
struct TrackShared {
    TrackStart start; // what is to be found
    Search search;
    Found there; // of the forward search
    System system;
    Place begin;       // where the search of the level begins, px of the level
    Progress progress; // one warp keeps it
    LevelImage to; // the level in which is searched
    Partial partial;
    Point point;   // the template's
    Patch own, other; // pixels about the template and about where is searched
    Array<u32, GREATEST_WINDOW * GREATEST_WINDOW> gradients; // of the template, along x in the lower half, y in the upper
};

// Gradients at the point of the middle of 4 x 4 pixels from `at` on: Scharr's at the middle four, interpolated.
__device__ u32 gradients(Patch& patch, u32 at, const Point& point) {
    i32 p[4][4];
    #pragma unroll
    for (u32 j = 0; j < 4; ++j)
        #pragma unroll
        for (u32 i = 0; i < 4; ++i) p[j][i] = patch.bytes[at + j * PATCH_PITCH + i];
    i32 x = 1 << (GRADIENT_SHIFT - 1), y = x;
    #pragma unroll
    for (u32 j = 0; j < 2; ++j)
        #pragma unroll
        for (u32 i = 0; i < 2; ++i) {
            const i32 corners = p[j + 2][i + 2] - p[j][i], others = p[j + 2][i] - p[j][i + 2];
            x += point.weights[2 * j + i] * (3 * (corners - others) + 10 * (p[j + 1][i + 2] - p[j + 1][i]));
            y += point.weights[2 * j + i] * (3 * (corners + others) + 10 * (p[j + 2][i + 1] - p[j][i + 1]));
        }
    return (u32(x >> GRADIENT_SHIFT) & 0xFFFFu) | u32(y >> GRADIENT_SHIFT) << 16;
}

// Fills the template about a point. All threads call it.
__device__ void fill_template(const LevelImage& level, const Point& point, TrackShared& shared) {
    const i32 radius = i32(shared.search.radius), side = 2 * radius + 1;
    const i32 left = point.x - radius - 1, top = point.y - radius - 1;
    load_patch(level, left, top, u32(side) + 3, shared.own); // one more for the interpolation, one a side for gradients
    const Rows rows = rows_of(u32(side));
    const u32 origin = shared.own.index(left, top);
    #pragma unroll 1
    for (u32 i = threadIdx.x; i < u32(side * side); i += TRACK_BLOCK)
        shared.gradients[i] = gradients(shared.own, origin + i + rows.row(i) * (PATCH_PITCH - u32(side)), point);
    if (threadIdx.x == 0) shared.point = point;
    __syncthreads();
}

// The pixels of the area that counts, one after the other: those of a thread.
struct Walk {
    u32 first, side_rest;   // of the template's window
    u32 pixel, pitch_rest;  // of a patch
    Rows rows;

    __device__ Walk(const System& system, u32 radius, Patch& patch, i32 x, i32 y) {
        const u32 side = 2 * radius + 1;
        const Area& area = system.area;
        rows = system.rows;
        first = u32(area.top) * side + u32(area.left);
        side_rest = side - rows.side;
        pixel = patch.index(x - i32(radius) + area.left, y - i32(radius) + area.top);
        pitch_rest = PATCH_PITCH - rows.side;
    }
    __device__ u32 in_window(u32 i) const { return first + i + rows.row(i) * side_rest; }
    __device__ u32 in_patch(u32 i) const { return pixel + i + rows.row(i) * pitch_rest; }
};

// Those of the moments of F that HALF says: in two goes, since all would take too many registers.
template <u32 HALF>
__device__ void sum_light(u32 n, const Walk& walk, Patch& patch, Partial& partial) {
    i32 sums[MOMENTS] = {};
    #pragma unroll 1
    for (u32 i = threadIdx.x; i < n; i += TRACK_BLOCK) {
        const u32 at = walk.in_patch(i);
        i32 pixels[4];
        #pragma unroll
        for (u32 k = 0; k < 4; ++k) pixels[k] = patch.bytes[at + k % 2 + k / 2 * PATCH_PITCH];
        #pragma unroll
        for (u32 k = 0; k < 4; ++k) {
            if (HALF == 0) sums[k] += pixels[k];
            if (HALF == 0) sums[4 + k] += pixels[0] * pixels[k];
            if (HALF == 1 && k > 0) sums[k - 1] += pixels[1] * pixels[k];
            if (HALF == 1 && k > 1) sums[k + 1] += pixels[2] * pixels[k];
        }
        if (HALF == 1) sums[5] += pixels[3] * pixels[3];
    }
    keep_sums(sums, MOMENTS_F + HALF * MOMENTS, partial);
}

// Sums of the area with the four pixels about each place of the window at pixel (x, y) of a patch. All threads call it,
// and then meet.
__device__ void sum_moments(bool free_light, Patch& patch, i32 x, i32 y, TrackShared& shared) {
    const Walk walk(shared.system, shared.search.radius, patch, x, y);
    const u32 n = shared.system.n;
    i32 sums[MOMENTS] = {};
    #pragma unroll 4
    for (u32 i = threadIdx.x; i < n; i += TRACK_BLOCK) {
        const u32 both = shared.gradients[walk.in_window(i)], at = walk.in_patch(i);
        const i32 gx = i16(both), gy = i16(both >> 16);
        #pragma unroll
        for (u32 k = 0; k < 4; ++k) {
            const i32 pixel = patch.bytes[at + k % 2 + k / 2 * PATCH_PITCH];
            sums[MOMENTS_X + k] += gx * pixel;
            sums[MOMENTS_Y + k] += gy * pixel;
        }
    }
    keep_sums(sums, 0, shared.partial);
    if (!free_light) return;
    sum_light<0>(n, walk, patch, shared.partial);
    sum_light<1>(n, walk, patch, shared.partial);
}

// A thread's sums over two values a pixel, and over their products.
struct PairSums {
    i32 single[2] = {};
    i64 aa = 0, ab = 0, bb = 0;

    __device__ void add(i32 a, i32 b) {
        single[0] += a;
        single[1] += b;
        aa += a * a;
        ab += a * b;
        bb += b * b;
    }
    __device__ void keep(Partial& partial) {
        keep_sums(single, SUM_A, partial);
        keep_wide(aa, SUM_AA, partial);
        keep_wide(ab, SUM_AB, partial);
        keep_wide(bb, SUM_BB, partial);
    }
};

// Sums over an area of the template, the whole one for the first time. All threads call it.
__device__ void sum_template(bool free_light, const Area& area, bool whole, TrackShared& shared) {
    System& system = shared.system;
    __syncthreads(); // the sums before have been read
    if (threadIdx.x == 0) {
        system.area = area;
        system.n = u32(area.columns * area.rows);
        system.rows = rows_of(u32(most(area.columns, 1)));
    }
    __syncthreads();
    const Walk walk(system, shared.search.radius, shared.own, shared.point.x, shared.point.y);
    PairSums sums;
    #pragma unroll 1
    for (u32 i = threadIdx.x; i < system.n; i += TRACK_BLOCK) {
        const u32 pair = shared.gradients[walk.in_window(i)];
        sums.add(i16(pair), i16(pair >> 16));
    }
    sums.keep(shared.partial);
    __syncthreads();
    if (threadIdx.x == 0) {
        set_up(system, free_light, shared.partial);
        if (whole) system.min_eigenvalue = smaller_eigenvalue(system, weight(free_light, system.n));
    }
    __syncthreads();
    sum_moments(free_light, shared.own, shared.point.x, shared.point.y, shared);
    __syncthreads();
    if (threadIdx.x < WARP) set_up_own(system, free_light, shared.point, shared.partial);
    __syncthreads();
}

// Intensity at a point right of and below pixel `at`.
__device__ i32 intensity(Patch& patch, u32 at, const Point& point) {
    i32 sum = 1 << (INTENSITY_SHIFT - 1);
    #pragma unroll
    for (u32 k = 0; k < 4; ++k) sum += point.weights[k] * patch.bytes[at + k % 2 + k / 2 * PATCH_PITCH];
    return sum >> INTENSITY_SHIFT;
}

// Finds the residual of the last window. All threads call it.
__device__ void measure(bool free_light, TrackShared& shared) {
    const Point& point = shared.progress.point;
    const u32 radius = shared.search.radius;
    const f32 factor = light_factor(shared.system, free_light, point, shared.partial);
    __syncthreads(); // the moments have been read
    const Walk own(shared.system, radius, shared.own, shared.point.x, shared.point.y);
    const Walk other(shared.system, radius, shared.other, point.x, point.y);
    PairSums sums;
    #pragma unroll 1
    for (u32 pixel = threadIdx.x; pixel < shared.system.n; pixel += TRACK_BLOCK) {
        const u32 at = own.in_patch(pixel);
        const i32 i = intensity(shared.own, at, shared.point);
        const i32 j = intensity(shared.other, at + (other.pixel - own.pixel), point);
        sums.add(i, j);
    }
    sums.keep(shared.partial);
    __syncthreads();
    if (threadIdx.x == 0)
        shared.search.residual = residual_of(shared.system, free_light, f64(factor), shared.partial);
    __syncthreads();
}
