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

// What the search back makes of it.
__device__ void judge(const TrackArgs& args, const TrackStart& start, const Found& found, TrackRecord& record) {
    const f32 x = (record.u + found.x) - start.u, y = (record.v + found.y) - start.v;
    const f32 squares = x * x + y * y;
    const bool tracked = found.status == TRACKED;
    if (tracked) record.backward_error = sqrtf(squares);
    if (!tracked || args.max_backward_error * args.max_backward_error < squares) record.status = INCONSISTENT;
}

// Forward, the gates, and back again. All lanes of a warp call it; the first one writes.
__device__ void track_point(const TrackArgs& args, const TrackStart& start, TrackRecord& record, WindowShared& shared) {
    const bool writes = threadIdx.x % WARP == 0;
    const Found there = search(args, true, start.u, start.v, start, shared);
    if (writes) record = conclude(args, start, there, shared.system.min_eigenvalue);
    if (there.status != TRACKED || args.max_residual < there.residual || args.max_backward_error < 0.0f) return;
    const Found back = search(args, false, start.u + there.x, start.v + there.y, start, shared);
    if (writes) judge(args, start, back, record);
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
