// C11: the search for one point, level by level, by a block. All of its threads hold the same numbers.

const u32 TRUSTED_LEVELS = 2; // levels of a search with a trusted guess

// Fills the template about a point of a level; how the level ends at once, or SEARCHING.
__device__ u32 begin_level(const TrackArgs& args, bool there, u32 l, u32 radius, f32 x, f32 y, TrackShared& shared) {
    const LevelImage from = level_image(there ? args.previous : args.current, args, l);
    if (!contains(from, x, y)) {
        __syncthreads(); // that of another level has been read
        if (threadIdx.x == 0) shared.system.min_eigenvalue = 0.0f;
        return OUTSIDE;
    }
    const Point point = point_at(x, y);
    fill_template(from, point, radius, shared);
    const Area area = area_inside(from, point.x, point.y, i32(radius), 1, 2);
    sum_template(radius, args.illumination != 0, area, true, shared);
    // In darker light a template that was good enough would not be: there and back share one gate.
    const f32 least_eigenvalue = there ? args.min_eigenvalue : 0.0f;
    const bool fit = !(shared.system.min_eigenvalue < least_eigenvalue) && shared.system.inverse != 0.0;
    return fit ? SEARCHING : LOW_TEXTURE;
}

// Ends the level or says where the next window lies; one thread calls it.
__device__ void proceed(const LevelImage& to, bool ends, Progress& progress) {
    const f32 to_x = progress.from.u + progress.x, to_y = progress.from.v + progress.y;
    if (!contains(to, to_x, to_y)) {
        progress.status = OUTSIDE;
        progress.residual = 0.0f;
    } else if (ends) {
        progress.status = TRACKED;
    } else {
        const Point point = point_at(to_x, to_y);
        const bool first = progress.steps == 0;
        const bool same_pixel = point.x == progress.point.x && point.y == progress.point.y;
        const bool in_patch = magnitude(point.x - progress.patch_x) <= PATCH_MARGIN &&
                              magnitude(point.y - progress.patch_y) <= PATCH_MARGIN;
        const bool new_patch = first || !in_patch;
        progress.news = (new_patch ? NEW_PATCH : 0) | (first || !same_pixel ? NEW_PIXEL : 0);
        progress.point = point;
        if (!new_patch) return;
        progress.patch_x = point.x;
        progress.patch_y = point.y;
    }
}

// One step, from the sums with the window; one warp calls it.
__device__ void take_step(const TrackArgs& args, TrackShared& shared) {
    const bool free_light = args.illumination != 0;
    const u32 n = u32(shared.system.area.columns * shared.system.area.rows);
    const Step step = step_of(shared.system, free_light, n, shared.partial);
    if (threadIdx.x != 0) return;
    Progress& progress = shared.progress;
    progress.x = progress.x + step.x;
    progress.y = progress.y + step.y;
    progress.steps += 1;
    const bool done = step.x * step.x + step.y * step.y <= args.eps * args.eps;
    const bool ends = done || progress.steps == args.max_iter;
    if (ends) progress.residual = residual_of(shared.system, free_light, n, step.factor, shared.partial);
    proceed(shared.to, ends, progress);
}

// Sums over what counts with the window about a pixel of the other image; whether that can be solved. Both levels have
// one size.
__device__ bool fit_area(const TrackArgs& args, u32 radius, TrackShared& shared) {
    const LevelImage& to = shared.to;
    const Progress& progress = shared.progress;
    const i32 x = i32(floorf(progress.from.u)), y = i32(floorf(progress.from.v)), r = i32(radius);
    const Area there = area_inside(to, progress.point.x, progress.point.y, r, 0, 1);
    const Area area = overlap(area_inside(to, x, y, r, 1, 2), there);
    if (area != shared.system.area) sum_template(radius, args.illumination != 0, area, false, shared);
    return shared.system.inverse != 0.0;
}

// Steps at level l until one is short. Returns how it ended.
__device__ u32 search_level(const TrackArgs& args, bool there, u32 l, u32 radius, TrackShared& shared) {
    Progress& progress = shared.progress;
    if (threadIdx.x == 0) {
        shared.to = level_image(there ? args.current : args.previous, args, l);
        progress.status = SEARCHING;
        progress.steps = 0;
        proceed(shared.to, args.max_iter == 0, progress);
    }
    #pragma unroll 1
    for (;;) {
        __syncthreads();
        const u32 status = progress.status, news = progress.news;
        if (status != SEARCHING) return status;
        const i32 reach = i32(radius) + PATCH_MARGIN;
        if ((news & NEW_PATCH) != 0)
            load_patch(shared.to, progress.patch_x - reach, progress.patch_y - reach, u32(2 * reach + 2), shared.patch);
        if ((news & NEW_PIXEL) != 0 && !fit_area(args, radius, shared)) return OUTSIDE;
        sum_pair(radius, args.illumination != 0, shared);
        __syncthreads();
        if (threadIdx.x < WARP) take_step(args, shared);
    }
}

// Coarse to fine, there or back, from the place in shared memory and a motion, level-0 px. A level that fails leaves
// the motion as it was; the finest one decides.
__device__ Found search(const TrackArgs& args, bool there, u32 levels, u32 radius, f32 motion_x, f32 motion_y,
                        TrackShared& shared) {
    Progress& progress = shared.progress;
    if (threadIdx.x == 0) progress.motion = Place{motion_x, motion_y};
    u32 status = OUTSIDE;
    #pragma unroll 1
    for (u32 l = levels; l-- > 0;) {
        const f32 scale = f32(1u << l);
        const f32 x = (shared.from.u + 0.5f) / scale - 0.5f, y = (shared.from.v + 0.5f) / scale - 0.5f;
        if (threadIdx.x == 0) {
            progress.from = Place{x, y};
            progress.x = progress.motion.u / scale;
            progress.y = progress.motion.v / scale;
            progress.residual = 0.0f;
        }
        status = begin_level(args, there, l, radius, x, y, shared);
        if (status == SEARCHING) status = search_level(args, there, l, radius, shared);
        if (threadIdx.x == 0) {
            const bool tracked = status == TRACKED;
            progress.motion.u = (tracked ? progress.x : progress.motion.u / scale) * scale;
            progress.motion.v = (tracked ? progress.y : progress.motion.v / scale) * scale;
            if (!tracked) progress.residual = 0.0f;
        }
    }
    __syncthreads();
    return Found{status, progress.motion.u, progress.motion.v, progress.residual};
}
