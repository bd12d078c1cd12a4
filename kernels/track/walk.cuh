// C11: the steps that lead from one window to the next, by one warp.

// Ends the level or says where the next window lies.
__device__ void proceed(const LevelImage& to, const Place& begin, bool ends, Progress& progress) {
    const f32 to_x = begin.u + progress.x, to_y = begin.v + progress.y;
    if (!contains(to, to_x, to_y)) progress.status = OUTSIDE;
    else if (ends) progress.status = TRACKED;
    else progress.point = point_at(to_x, to_y);
}

// Where a window says to go, px of the level: if the other image changed as the template does, and by how it changes
// itself, where that has a solution.
struct Step {
    Place motion, newton;
    bool has_newton;
};

// With what the sums over the four pixels are weighted: for the sum over a window at a place, part 0, or for how that
// changes along x, part 1, or y.
__device__ void part_weights(const Point& point, u32 part, i32 (&weights)[4]) {
    const i32 (&w)[4] = point.weights;
    const i32 first = part == 1 ? w[0] + w[1] : w[0] + w[2], last = part == 1 ? w[2] + w[3] : w[1] + w[3];
    weights[0] = part == 0 ? w[0] : -first;
    weights[1] = part == 0 ? w[1] : part == 1 ? first : -last;
    weights[2] = part == 0 ? w[2] : part == 1 ? -last : first;
    weights[3] = part == 0 ? w[3] : last;
}

// The step that the window about a point asks for. A warp calls it: of its first six lanes two have the window's sums with
// the gradients, two how these change along x, and two along y.
__device__ Step step_of(const System& s, bool free_light, const Point& point, Partial& partial) {
    const u32 lane = anew(threadIdx.x) % WARP;
    const bool along_x = lane % 2 == 0;
    i32 weights[4], moments[4];
    part_weights(point, lane / 2, weights);
    load_moments(along_x ? u32(MOMENTS_X) : u32(MOMENTS_Y), partial, moments);
    const i64 sum = weighted(weights, moments);
    i64 f = 0;
    f32 factor = 1.0f;
    if (free_light) {
        factor = light_factor(s, true, point, partial);
        load_moments(MOMENTS_LIGHT, partial, moments);
        f = weighted(weights, moments);
    }
    const f64 own = lane == 0 ? s.xi : lane == 1 ? s.yi : 0.0;
    const f64 mine = window_product(free_light, s.n, sum, along_x ? s.x : s.y, f) * f64(factor) - own;
    const f64 bx = __shfl_sync(ALL_LANES, mine, 0), by = __shfl_sync(ALL_LANES, mine, 1);
    const f32 rounded = f32(mine);
    const f32 xx = __shfl_sync(ALL_LANES, rounded, 2), yx = __shfl_sync(ALL_LANES, rounded, 3);
    const f32 xy = __shfl_sync(ALL_LANES, rounded, 4), yy = __shfl_sync(ALL_LANES, rounded, 5);
    const f32 determinant = xx * yy - xy * yx, inverse = 1.0f / determinant;
    const Place newton{(xy * f32(by) - yy * f32(bx)) * inverse, (yx * f32(bx) - xx * f32(by)) * inverse};
    const Place motion{f32((s.xy * by - s.yy * bx) * s.inverse), f32((s.xy * bx - s.xx * by) * s.inverse)};
    return Step{motion, newton, s.least_determinant <= determinant};
}

__device__ f32 dot(const Place& a, const Place& b) { return a.u * b.u + a.v * b.v; }

const f32 LONGEST_SQUARED = 4.0f; // px^2; of Newton's steps, and of those that are stretched

// Goes on by a step: Newton's where that can be trusted, else the template's, which gets longer as long as it leads on;
// what turns back is halved.
__device__ void take(const Step& step, Progress& progress) {
    const bool newton = step.has_newton && dot(step.newton, step.newton) <= LONGEST_SQUARED &&
                        0.0f < dot(step.newton, step.motion);
    const Place motion = newton ? step.newton : step.motion;
    const f32 turn = dot(motion, progress.last), length = dot(motion, motion), twice = 2.0f * progress.stretch;
    progress.stretch = !newton && 0.0f < turn && twice * twice * length <= LONGEST_SQUARED ? twice : 1.0f;
    const bool halved = turn < 0.0f && dot(progress.last, progress.last) < 4.0f * length;
    const f32 scale = halved ? 0.5f : progress.stretch;
    progress.last = Place{motion.u * scale, motion.v * scale};
}

// Pixels around a window that the patch about it holds.
__device__ i32 margin_of(u32 radius) { return (i32(PATCH_SIDE) - 2) / 2 - i32(radius); }

// Whether the next window is beyond the patch.
__device__ bool leaves_patch(const TrackShared& shared, const Point& point) {
    const i32 radius = i32(shared.search.radius), margin = margin_of(shared.search.radius), reach = radius + margin;
    return magnitude(point.x - reach - shared.other.left) > margin ||
           magnitude(point.y - reach - shared.other.top) > margin;
}

// Steps until one is short or leads to another pixel; one warp calls it.
__device__ void walk_pixel(const TrackArgs& args, TrackShared& shared) {
    const bool free_light = args.illumination != 0;
    Progress progress = shared.progress;
    do {
        __syncwarp(); // what does not change is read anew, for want of registers
        take(step_of(shared.system, free_light, progress.point, shared.partial), progress);
        progress.x = progress.x + progress.last.u;
        progress.y = progress.y + progress.last.v;
        progress.steps += 1;
        const bool done = dot(progress.last, progress.last) <= args.eps * args.eps;
        proceed(shared.to, shared.begin, done || progress.steps == args.max_iter, progress);
    } while (progress.status == SEARCHING && progress.point.x == shared.progress.point.x &&
             progress.point.y == shared.progress.point.y);
    const Point& point = progress.point;
    progress.area =
        overlap(shared.area, area_inside(shared.to, point.x, point.y, i32(shared.search.radius), 0, 1));
    progress.leaves_patch = leaves_patch(shared, progress.point);
    __syncwarp(); // all lanes have read what one writes
    if (threadIdx.x == 0) shared.progress = progress;
}
