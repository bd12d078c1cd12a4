// C11: the search for one point, level by level, by a block. All of its threads hold the same numbers.

const u32 TRUSTED_LEVELS = 2; // levels of a search with a trusted guess

// 2^-l: multiplying by it rounds as dividing by 2^l does.
__device__ f32 power_of_half(u32 l) { return l == 0 ? 1.0f : l == 1 ? 0.5f : 0.25f; }

// Whether the template has texture enough. In darker light one that was good enough would not be: there and back share
// one gate.
__device__ bool is_fit(const TrackArgs& args, const TrackShared& shared) {
    const f32 least_eigenvalue = shared.search.there ? args.min_eigenvalue : 0.0f;
    return !(shared.system.min_eigenvalue < least_eigenvalue) && shared.system.inverse != 0.0;
}

// Says where the search of a level begins. A warp calls it: even lanes place the template, odd ones the first window.
__device__ void begin_level(const TrackArgs& args, u32 l, TrackShared& shared) {
    const Search& search = shared.search;
    const u32 lane = anew(threadIdx.x) % WARP;
    const bool window = lane % 2 != 0;
    const f32 scale = power_of_half(l);
    const Place begin{(search.from.u + 0.5f) * scale - 0.5f, (search.from.v + 0.5f) * scale - 0.5f};
    const Place motion{search.motion.u * scale, search.motion.v * scale};
    const LevelImage to = level_image(search.there ? args.current : args.previous, args, l);
    const f32 x = window ? begin.u + motion.u : begin.u, y = window ? begin.v + motion.v : begin.v;
    const bool inside = contains(to, x, y);
    const Point point = point_at(inside ? x : 0.0f, inside ? y : 0.0f);
    const Area mine = area_inside(to, point.x, point.y, i32(search.radius), window ? 0 : 1, window ? 1 : 2);
    const Area neighbours{__shfl_xor_sync(ALL_LANES, mine.left, 1), __shfl_xor_sync(ALL_LANES, mine.top, 1),
                          __shfl_xor_sync(ALL_LANES, mine.columns, 1), __shfl_xor_sync(ALL_LANES, mine.rows, 1)};
    if (lane == 0) {
        shared.begin = begin;
        shared.to = to;
        shared.point = point;
        shared.area = mine;
    }
    if (lane == 1) {
        const u32 status = !inside ? OUTSIDE : args.max_iter == 0 ? TRACKED : SEARCHING;
        const Area area = status == SEARCHING ? overlap(neighbours, mine) : neighbours;
        shared.progress = Progress{status, 0, motion.u, motion.v, {0.0f, 0.0f}, 1.0f, point, area, false};
    }
}

// Reads the pixels about the template, for a level's first time, and those about where is searched.
__device__ void load_patches(const TrackArgs& args, u32 l, bool first, TrackShared& shared) {
    const bool searches = shared.progress.status == SEARCHING;
    const i32 x = shared.progress.point.x, y = shared.progress.point.y;
    const i32 radius = i32(shared.search.radius), reach = radius + margin_of(shared.search.radius);
    const i32 left = shared.point.x - radius - 1, top = shared.point.y - radius - 1;
    u32 own[PATCH_READS] = {}, other[PATCH_READS] = {};
    if (first) {
        const LevelImage from = level_image(shared.search.there ? args.previous : args.current, args, l);
        read_patch(from, left, top, u32(2 * radius + 4), own); // a pixel more for the interpolation, one a side
    }
    if (searches) read_patch(shared.to, x - reach, y - reach, PATCH_SIDE, other);
    if (first) keep_patch(left, top, own, shared.own);
    if (searches) keep_patch(x - reach, y - reach, other, shared.other);
    __syncthreads();
}

// Steps at level l until one is short. Each time round comes to another pixel, or the first time to the template alone.
// Returns how it ended.
__device__ u32 search_level(const TrackArgs& args, u32 l, TrackShared& shared) {
    const bool free_light = args.illumination != 0;
    const u32 warp = threadIdx.x / WARP, runs = places_of_runs(2 * shared.search.radius + 1);
    #pragma unroll 1
    for (bool first = true;; first = false) {
        if (first || shared.progress.leaves_patch) load_patches(args, l, first, shared);

        // The first time all of the template, and the step too if as much counts with the window.
        const Area& area = first ? shared.area : shared.progress.area;
        const bool sums_template = first || area != shared.system.area;
        const bool steps = shared.progress.status == SEARCHING && !(area != shared.progress.area);
        if (sums_template) sum_template(free_light, area, runs, shared);
        if (steps) sum_window(free_light, runs, shared);
        __syncthreads();
        if (warp == 0) {
            if (sums_template) set_up(shared.system, free_light, area, shared.point, shared.partial);
            if (steps && shared.system.inverse != 0.0) walk_pixel(args, shared);
        } else if (warp == 1 && first) {
            set_eigenvalue(shared.system, free_light, area, shared.partial);
        }
        __syncthreads();
        if (first && !is_fit(args, shared)) return LOW_TEXTURE;
        if (shared.system.inverse == 0.0) return OUTSIDE;
        if (shared.progress.status != SEARCHING) return shared.progress.status;
    }
}

// Coarse to fine, as shared memory says. A level that fails leaves the motion as it was; the finest one decides. How that
// has ended.
__device__ u32 search(const TrackArgs& args, TrackShared& shared) {
    u32 status = OUTSIDE;
    #pragma unroll 1
    for (u32 l = shared.search.levels; l-- > 0;) {
        if (threadIdx.x < WARP) begin_level(args, l, shared);
        __syncthreads();
        const bool inside = contains(shared.to, shared.begin.u, shared.begin.v);
        status = inside ? search_level(args, l, shared) : u32(OUTSIDE);
        if (threadIdx.x == 0) {
            const f32 scale = f32(1u << l), inverse = power_of_half(l);
            Place& motion = shared.search.motion;
            motion.u = (status == TRACKED ? shared.progress.x : motion.u * inverse) * scale;
            motion.v = (status == TRACKED ? shared.progress.y : motion.v * inverse) * scale;
            if (!inside) shared.system.min_eigenvalue = 0.0f;
        }
        __syncthreads();
    }
    return status;
}
