// C11: the search for one point, level by level. All lanes of a warp hold the same numbers.

const u32 TRUSTED_LEVELS = 2; // levels of a search with a trusted guess

// Fills the template about a point of a level, and says whether it is fit to be tracked.
__device__ bool begin_level(const TrackArgs& args, bool there, u32 l, u32 radius, f32 x, f32 y, Found& found,
                            WindowShared& shared) {
    const LevelImage from = level_image(there ? args.previous : args.current, args, l);
    found.status = OUTSIDE;
    found.residual = 0.0f;
    if (!contains(from, x, y)) {
        __syncwarp(); // that of another level has been read
        keep(shared.system.min_eigenvalue, 0.0f);
        return false;
    }
    const Point point = point_at(x, y);
    fill_template(from, point, radius, shared);
    const Area area = area_inside(from, point.x, point.y, i32(radius), 1, 2);
    sum_template(radius, args.illumination != 0, area, true, shared);
    // In darker light a template that was good enough would not be: there and back share one gate.
    const f32 least_eigenvalue = there ? args.min_eigenvalue : 0.0f;
    if (!(shared.system.min_eigenvalue < least_eigenvalue) && shared.system.inverse != 0.0) return true;
    found.status = LOW_TEXTURE;
    return false;
}

// Sums over what counts with the window about a pixel of the other image; whether that can be solved. Both levels have
// one size.
__device__ bool fit_area(const TrackArgs& args, const LevelImage& to, u32 radius, f32 x, f32 y, i32 to_x, i32 to_y,
                         WindowShared& shared) {
    const Area own = area_inside(to, i32(floorf(x)), i32(floorf(y)), i32(radius), 1, 2);
    const Area area = overlap(own, area_inside(to, to_x, to_y, i32(radius), 0, 1));
    if (area != shared.system.area) sum_template(radius, args.illumination != 0, area, false, shared);
    return shared.system.inverse != 0.0;
}

// Steps at level l until one is short; positions and motion in px of the level.
__device__ void search_level(const TrackArgs& args, bool there, u32 l, u32 radius, f32 x, f32 y, Found& found,
                             WindowShared& shared) {
    if (!begin_level(args, there, l, radius, x, y, found, shared)) return;
    const LevelImage to = level_image(there ? args.current : args.previous, args, l);
    const bool free_light = args.illumination != 0;
    f32 moved_x = found.x, moved_y = found.y;
    i32 patch_x = -1, patch_y = -1; // of no point
    #pragma unroll 1
    for (u32 i = 0; i < args.max_iter; ++i) {
        if (!contains(to, x + moved_x, y + moved_y)) return;
        const Point point = point_at(x + moved_x, y + moved_y);
        if (point.x != patch_x || point.y != patch_y) {
            patch_x = point.x;
            patch_y = point.y;
            load_patch(to, patch_x - i32(radius), patch_y - i32(radius), 2 * radius + 2, shared.patch);
            if (!fit_area(args, to, radius, x, y, patch_x, patch_y, shared)) return;
        }
        const PairSums pair = pair_sums(point, radius, shared);
        const u32 n = u32(shared.system.area.columns * shared.system.area.rows);
        const Step step = step_of(shared.system, pair, free_light, n);
        moved_x = moved_x + step.x;
        moved_y = moved_y + step.y;
        const bool done = step.x * step.x + step.y * step.y <= args.eps * args.eps;
        if (done || i + 1 == args.max_iter) found.residual = residual_of(shared.system, step, weight(free_light, n));
        if (done) break;
    }
    if (!contains(to, x + moved_x, y + moved_y)) {
        found.residual = 0.0f;
        return;
    }
    found.status = TRACKED;
    found.x = moved_x;
    found.y = moved_y;
}

// Coarse to fine, there or back, from the place in shared memory and the motion that `found` holds. A level that fails leaves the motion as it was; the
// finest one decides.
__device__ void search(const TrackArgs& args, bool there, u32 levels, u32 radius, Found& found,
                       WindowShared& shared) {
    found.status = OUTSIDE;
    found.residual = 0.0f;
    #pragma unroll 1
    for (u32 l = levels; l-- > 0;) {
        const f32 scale = f32(1u << l);
        found.x /= scale;
        found.y /= scale;
        const f32 x = (shared.from.u + 0.5f) / scale - 0.5f, y = (shared.from.v + 0.5f) / scale - 0.5f;
        search_level(args, there, l, radius, x, y, found, shared);
        found.x *= scale;
        found.y *= scale;
    }
}
