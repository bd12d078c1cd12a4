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
    Area area;      // what of the template counts with it
    bool leaves_patch; // whether pixels beyond those at hand are needed
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
    Area area;     // what of it counts
    Patch own, other; // pixels about the template and about where is searched
    // Of the template, along x in the lower half, y in the upper; run by run.
    alignas(16) Array<u32, RUN * GREATEST_RUNS> gradients;
};

// Makes the gradients of a run, at byte `at` of the row above it: Scharr's about each of its pixels, interpolated.
__device__ void gradients_of(Patch& patch, u32 at, const Point& point, u32 (&out)[RUN]) {
    // Columns from the one before the run on; smoothed and differences along y, of the row and of the one below.
    i32 smooth[2][RUN + 3], steep[2][RUN + 3];
    const u32 word = at & ~3u, bits = 8 * (at & 3u);
    u32 pixels[4][2];
    #pragma unroll
    for (u32 row = 0; row < 4; ++row) {
        const u32 from = word + row * PATCH_PITCH;
        const u32 low = word_of(patch.bytes, from), middle = word_of(patch.bytes, from + 4);
        pixels[row][0] = __funnelshift_r(low, middle, bits);
        pixels[row][1] = __funnelshift_r(middle, word_of(patch.bytes, from + 8), bits);
    }
    #pragma unroll
    for (u32 i = 0; i < RUN + 3; ++i) {
        i32 p[4];
        #pragma unroll
        for (u32 row = 0; row < 4; ++row) p[row] = i32(pixels[row][i / 4] >> (8 * (i % 4)) & 255u);
        #pragma unroll
        for (u32 row = 0; row < 2; ++row) {
            smooth[row][i] = 3 * (p[row] + p[row + 2]) + 10 * p[row + 1];
            steep[row][i] = p[row + 2] - p[row];
        }
    }
    #pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
        i32 x = 1 << (GRADIENT_SHIFT - 1), y = x;
        #pragma unroll
        for (u32 i = 0; i < 4; ++i) {
            const u32 row = i / 2, column = k + i % 2;
            const i32 (&along)[RUN + 3] = steep[row];
            x += point.weights[i] * (smooth[row][column + 2] - smooth[row][column]);
            y += point.weights[i] * (3 * (along[column] + along[column + 2]) + 10 * along[column + 1]);
        }
        out[k] = (u32(x >> GRADIENT_SHIFT) & 0xFFFFu) | u32(y >> GRADIENT_SHIFT) << 16;
    }
}

// Where the first pixel of a window about pixel (x, y) of a level lies in a patch.
__device__ u32 corner_of(const Patch& patch, i32 x, i32 y, u32 radius) {
    return patch.index(x - i32(radius), y - i32(radius));
}

// Adds the moments of a pixel with these gradients, the k-th of a run.
template <u32 N>
__device__ void add_moments(const RunPixels& pixels, u32 k, u32 both, u32 first, i32 (&sums)[N]) {
    const i32 x = i16(both), y = i16(both >> 16);
    #pragma unroll
    for (u32 i = 0; i < 4; ++i) {
        const i32 pixel = pixels.about(k, i);
        sums[first + i] += x * pixel;
        sums[first + 4 + i] += y * pixel;
    }
}

// Those of the moments of F that HALF says: in two goes, since all would take too many registers.
template <u32 HALF>
__device__ void sum_light(const Area& area, Patch& patch, u32 corner, u32 side, u32 first, Partial& partial) {
    const Runs runs(side);
    i32 sums[MOMENTS] = {};
    #pragma unroll 1
    for (u32 i = threadIdx.x; i < runs.count; i += TRACK_BLOCK) {
        const Run run(runs, i);
        const RunPixels about(patch, corner + run.row * PATCH_PITCH + run.column);
        #pragma unroll
        for (u32 k = 0; k < RUN; ++k) {
            i32 pixels[4];
            #pragma unroll
            for (u32 j = 0; j < 4; ++j) pixels[j] = run.counts(area, k) ? about.about(k, j) : 0;
            #pragma unroll
            for (u32 j = 0; j < 4; ++j) {
                if (HALF == 0) sums[j] += pixels[j];
                if (HALF == 0) sums[4 + j] += pixels[0] * pixels[j];
                if (HALF == 1 && j > 0) sums[j - 1] += pixels[1] * pixels[j];
                if (HALF == 1 && j > 1) sums[j + 1] += pixels[2] * pixels[j];
            }
            if (HALF == 1) sums[5] += pixels[3] * pixels[3];
        }
    }
    keep_sums<HALF == 0 ? MOMENTS : 6>(sums, first + HALF * MOMENTS, partial);
}

// Fills the gradients of a thread's runs, 0 where they do not count: a thread fills what it reads later.
__device__ void fill_gradients(const Area& area, u32 side, u32 corner, TrackShared& shared) {
    const Runs runs(side);
    #pragma unroll 1
    for (u32 i = threadIdx.x; i < runs.count; i += TRACK_BLOCK) {
        const Run run(runs, i);
        u32 gradients[RUN];
        const u32 above = corner + run.row * PATCH_PITCH + run.column - PATCH_PITCH - 1;
        gradients_of(shared.own, above, shared.point, gradients);
        #pragma unroll
        for (u32 k = 0; k < RUN; ++k) shared.gradients[RUN * i + k] = run.counts(area, k) ? gradients[k] : 0;
    }
}

// Fills the gradients and sums them over an area of the template, and it with its own window; `runs` are the places of
// a thread's. All threads call it.
__device__ void sum_template(bool free_light, const Area& area, u32 runs, TrackShared& shared) {
    const u32 radius = shared.search.radius, side = 2 * radius + 1;
    const u32 corner = corner_of(shared.own, shared.point.x, shared.point.y, radius);
    fill_gradients(area, side, corner, shared);
    i32 sums[16] = {};
    #pragma unroll 1
    for (u32 i = threadIdx.x; (runs & 0xFFFFu) != NO_RUN; i += TRACK_BLOCK, runs = runs >> 16 | NO_RUN << 16) {
        const RunPixels pixels(shared.own, corner + (runs & 0xFFFFu));
        #pragma unroll
        for (u32 k = 0; k < RUN; ++k) {
            const u32 both = shared.gradients[RUN * i + k];
            const i32 x = i16(both), y = i16(both >> 16);
            sums[SUM_A] += x;
            sums[SUM_B] += y;
            sums[SUM_AA] += x * x;
            sums[SUM_AB] += x * y;
            sums[SUM_BB] += y * y;
            add_moments(pixels, k, both, OWN_X, sums);
        }
    }
    keep_wide_sums(sums, shared.partial);
    if (!free_light) return;
    sum_light<0>(area, shared.own, corner, side, OWN_LIGHT, shared.partial);
    sum_light<1>(area, shared.own, corner, side, OWN_LIGHT, shared.partial);
}

// Sums of what counts with the four pixels about each place of the next window. All threads call it.
__device__ void sum_window(bool free_light, u32 runs, TrackShared& shared) {
    const Area& area = shared.progress.area;
    const Point& point = shared.progress.point;
    const u32 radius = shared.search.radius, side = 2 * radius + 1;
    const u32 corner = corner_of(shared.other, point.x, point.y, radius);
    i32 sums[MOMENTS] = {};
    #pragma unroll 1
    for (u32 i = threadIdx.x; (runs & 0xFFFFu) != NO_RUN; i += TRACK_BLOCK, runs = runs >> 16 | NO_RUN << 16) {
        const RunPixels pixels(shared.other, corner + (runs & 0xFFFFu));
        #pragma unroll
        for (u32 k = 0; k < RUN; ++k)
            add_moments(pixels, k, shared.gradients[RUN * i + k], MOMENTS_X, sums);
    }
    keep_sums<MOMENTS>(sums, MOMENTS_X, shared.partial);
    if (!free_light) return;
    sum_light<0>(area, shared.other, corner, side, MOMENTS_LIGHT, shared.partial);
    sum_light<1>(area, shared.other, corner, side, MOMENTS_LIGHT, shared.partial);
}

// Intensity at the point within place k of a run.
__device__ i32 intensity(const RunPixels& pixels, u32 k, const Point& point) {
    i32 sum = 1 << (INTENSITY_SHIFT - 1);
    #pragma unroll
    for (u32 i = 0; i < 4; ++i) sum += point.weights[i] * pixels.about(k, i);
    return sum >> INTENSITY_SHIFT;
}

// Finds the residual of the last window. All threads call it.
__device__ void measure(bool free_light, TrackShared& shared) {
    const Point& point = shared.progress.point;
    const u32 radius = shared.search.radius;
    const Area area = shared.system.area;
    const f32 factor = light_factor(shared.system, free_light, point, shared.partial);
    const Runs runs(2 * radius + 1);
    const u32 own = corner_of(shared.own, shared.point.x, shared.point.y, radius);
    const u32 other = corner_of(shared.other, point.x, point.y, radius);
    i64 sums[SUM_BB + 1 - SUM_A] = {};
    #pragma unroll 1
    for (u32 index = threadIdx.x; index < runs.count; index += TRACK_BLOCK) {
        const Run run(runs, index);
        const u32 at = run.row * PATCH_PITCH + run.column;
        const RunPixels template_pixels(shared.own, own + at), pixels(shared.other, other + at);
        #pragma unroll
        for (u32 k = 0; k < RUN; ++k) {
            if (!run.counts(area, k)) continue;
            const i32 i = intensity(template_pixels, k, shared.point), j = intensity(pixels, k, point);
            sums[SUM_A - SUM_A] += i;
            sums[SUM_B - SUM_A] += j;
            sums[SUM_AA - SUM_A] += i * i;
            sums[SUM_AB - SUM_A] += i * j;
            sums[SUM_BB - SUM_A] += j * j;
        }
    }
    #pragma unroll
    for (u32 k = SUM_A; k <= SUM_BB; ++k) keep_wide(sums[k - SUM_A], k, shared.partial);
    __syncthreads();
    if (threadIdx.x < WARP) {
        const f32 residual = residual_of(shared.system, free_light, f64(factor), shared.partial);
        if (threadIdx.x == 0) shared.search.residual = residual;
    }
    __syncthreads();
}
