// C11: the search for one point, level by level, by a block. All of its threads hold the same numbers.

const u32 TRUSTED_LEVELS = 2; // levels of a search with a trusted guess

// Fills the template about a point of a level; how the level ends at once, or SEARCHING. All have met before.
__device__ u32 begin_level(const TrackArgs& args, u32 l, f32 x, f32 y, TrackShared& shared) {
    const LevelImage from = level_image(shared.search.there ? args.previous : args.current, args, l);
    if (!contains(from, x, y)) {
        if (threadIdx.x == 0) shared.system.min_eigenvalue = 0.0f;
        return OUTSIDE;
    }
    const Point point = point_at(x, y);
    fill_template(from, point, shared);
    const Area area = area_inside(from, point.x, point.y, i32(shared.search.radius), 1, 2);
    sum_template(args.illumination != 0, area, true, shared);
    // In darker light a template that was good enough would not be: there and back share one gate.
    const f32 least_eigenvalue = shared.search.there ? args.min_eigenvalue : 0.0f;
    const bool fit = !(shared.system.min_eigenvalue < least_eigenvalue) && shared.system.inverse != 0.0;
    return fit ? SEARCHING : LOW_TEXTURE;
}

// Whether all of both windows counts: that of the template, and the one about a pixel of the other image. Both levels have
// one size.
__device__ bool counts_in_full(i32 x, i32 y, const TrackShared& shared) {
    const i32 radius = i32(shared.search.radius), last_x = shared.to.width - radius, last_y = shared.to.height - radius;
    const Point& own = shared.point;
    return least(own.x - 1, x) >= radius && least(own.y - 1, y) >= radius && most(own.x + 1, x) + 1 < last_x &&
           most(own.y + 1, y) + 1 < last_y;
}

// Sums over what counts with the window about a pixel of the other image; whether that can be solved.
__device__ bool fit_area(const TrackArgs& args, i32 x, i32 y, TrackShared& shared) {
    const i32 radius = i32(shared.search.radius), side = 2 * radius + 1;
    if (counts_in_full(x, y, shared) && shared.system.n == u32(side * side)) return true;
    const Area there = area_inside(shared.to, x, y, radius, 0, 1);
    const Area area = overlap(area_inside(shared.to, shared.point.x, shared.point.y, radius, 1, 2), there);
    if (area != shared.system.area) sum_template(args.illumination != 0, area, false, shared);
    return shared.system.inverse != 0.0;
}

const i32 NOWHERE = -(1 << 20); // where no patch begins

// Steps at level l until one is short, pixel by pixel. Returns how it ended.
__device__ u32 search_level(const TrackArgs& args, u32 l, TrackShared& shared) {
    if (threadIdx.x == 0) {
        shared.to = level_image(shared.search.there ? args.current : args.previous, args, l);
        shared.progress.status = SEARCHING;
        shared.progress.steps = 0;
        shared.progress.last = Place{0.0f, 0.0f};
        shared.progress.stretch = 1.0f;
        shared.other.left = NOWHERE;
        proceed(shared.to, shared.begin, args.max_iter == 0, shared.progress);
    }
    #pragma unroll 1
    for (;;) {
        __syncthreads();
        if (shared.progress.status != SEARCHING) return shared.progress.status;
        const i32 x = shared.progress.point.x, y = shared.progress.point.y;
        const i32 reach = i32(shared.search.radius) + PATCH_MARGIN;
        const bool in_patch = magnitude(x - reach - shared.other.left) <= PATCH_MARGIN &&
                              magnitude(y - reach - shared.other.top) <= PATCH_MARGIN;
        if (!in_patch) load_patch(shared.to, x - reach, y - reach, u32(2 * reach + 2), shared.other);
        if (!fit_area(args, x, y, shared)) return OUTSIDE;
        sum_moments(args.illumination != 0, shared.other, x, y, shared);
        __syncthreads();
        if (threadIdx.x < WARP) walk_pixel(args, shared);
    }
}

// Coarse to fine, as shared memory says. A level that fails leaves the motion as it was; the finest one decides. How that
// has ended.
__device__ u32 search(const TrackArgs& args, TrackShared& shared) {
    u32 status = OUTSIDE;
    #pragma unroll 1
    for (u32 l = shared.search.levels; l-- > 0;) {
        const f32 scale = f32(1u << l);
        const f32 x = (shared.search.from.u + 0.5f) / scale - 0.5f, y = (shared.search.from.v + 0.5f) / scale - 0.5f;
        __syncthreads(); // what the level before left has been read
        if (threadIdx.x == 0) {
            shared.begin = Place{x, y};
            shared.progress.x = shared.search.motion.u / scale;
            shared.progress.y = shared.search.motion.v / scale;
        }
        status = begin_level(args, l, x, y, shared);
        if (status == SEARCHING) status = search_level(args, l, shared);
        if (threadIdx.x == 0) {
            Place& motion = shared.search.motion;
            motion.u = (status == TRACKED ? shared.progress.x : motion.u / scale) * scale;
            motion.v = (status == TRACKED ? shared.progress.y : motion.v / scale) * scale;
        }
    }
    __syncthreads();
    return status;
}
