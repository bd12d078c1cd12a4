// Tracking (contract C11) in one launch of any number of blocks of TRACK_BLOCK threads: a warp a point, there and back.

const u32 TRACK_BLOCK = 64;
const u32 TRACK_WARPS = TRACK_BLOCK / WARP;

struct TrackShared {
    Array<WindowShared, TRACK_WARPS> windows; // one a warp
};

// What the search there makes of a point.
__device__ TrackRecord conclude(const TrackArgs& args, const TrackStart& start, const Found& found, f32 min_eigenvalue) {
    const bool tracked = found.status == TRACKED;
    const u32 status = tracked && args.max_residual < found.residual ? u32(RESIDUAL) : found.status;
    return TrackRecord{tracked ? start.u + found.x : start.u, tracked ? start.v + found.y : start.v,
                       found.residual, min_eigenvalue, 0.0f, status};
}

// Squared distance between the start and where the search back ended.
__device__ f32 squared_error(const TrackStart& start, const Found& there, const Found& back) {
    const f32 x = ((start.u + there.x) + back.x) - start.u, y = ((start.v + there.y) + back.y) - start.v;
    return x * x + y * y;
}

__device__ bool is_consistent(const TrackArgs& args, const TrackStart& start, const Found& there, const Found& back) {
    const f32 most = args.max_backward_error * args.max_backward_error;
    return back.status == TRACKED && squared_error(start, there, back) <= most;
}

// What the search back makes of it.
__device__ void judge(const TrackStart& start, const Found& there, const Found& back, bool consistent,
                      TrackRecord& record) {
    if (back.status == TRACKED) record.backward_error = sqrtf(squared_error(start, there, back));
    if (!consistent) record.status = INCONSISTENT;
}

const f32 REFINE_LEAST = 1.0f; // px: what moved less is not searched for once more
const f32 REFINE_REACH = 1.0f; // px, the most by which the last search corrects what was found

// The last search, from what was found there; the position where it ends near that.
__device__ void refine(const TrackArgs& args, const TrackStart& start, const Found& there, bool writes,
                       TrackRecord& record, WindowShared& shared) {
    if (there.x * there.x + there.y * there.y < REFINE_LEAST * REFINE_LEAST) return;
    Found fine = there;
    search_level(args, true, 0, args.refine_radius, start.u, start.v, fine, shared);
    const f32 x = fine.x - there.x, y = fine.y - there.y;
    if (fine.status != TRACKED || REFINE_REACH * REFINE_REACH < x * x + y * y || !writes) return;
    record.u = start.u + fine.x;
    record.v = start.v + fine.y;
}

// Forward, the gates, back again, and the last search. All lanes of a warp call it; the first one writes.
__device__ void track_point(const TrackArgs& args, const TrackStart& start, TrackRecord& record, WindowShared& shared) {
    const bool writes = threadIdx.x % WARP == 0;
    const Found there = search(args, true, start.u, start.v, start, shared);
    if (writes) record = conclude(args, start, there, shared.system.min_eigenvalue);
    if (there.status != TRACKED || args.max_residual < there.residual) return;
    bool tracked = true;
    if (args.max_backward_error >= 0.0f) {
        const Found back = search(args, false, start.u + there.x, start.v + there.y, start, shared);
        tracked = is_consistent(args, start, there, back);
        if (writes) judge(start, there, back, tracked, record);
    }
    if (tracked && args.refine_radius != 0) refine(args, start, there, writes, record, shared);
}

// Tells the host, by the last block to come, that all records are complete.
__device__ void publish(const TrackArgs& args) {
    __syncthreads();
    if (threadIdx.x != 0) return;
    __threadfence_system();
    if (atomicAdd(args.arrivals, 1u) != gridDim.x - 1) return;
    atomicExch(args.arrivals, 0u);
    args.header->count = args.count;
    __threadfence_system();
    *const_cast<volatile u64*>(&args.header->frame) = args.frame;
}

extern "C" __global__ void __launch_bounds__(TRACK_BLOCK, 16) track(const TrackArgs args) {
    SHARED(TrackShared, shared);
    const u32 warp = threadIdx.x / WARP;
    for (u32 i = blockIdx.x * TRACK_WARPS + warp; i < args.count; i += gridDim.x * TRACK_WARPS) {
        track_point(args, args.starts[i], args.flows[i], shared.windows[warp]);
    }
    publish(args);
}
