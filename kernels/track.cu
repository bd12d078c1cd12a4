// Tracking (contract C11) in one launch of any number of blocks of TRACK_BLOCK threads: a block a point, there and
// back.

const f32 REFINE_LEAST = 1.0f; // px: what moved less is not searched for once more
const f32 REFINE_REACH = 1.0f; // px, the most by which the last search corrects what was found

enum Pass : u32 { THERE = 0, BACK = 1, FINE = 2 };

__device__ bool is_refined(const TrackArgs& args, const Found& there) {
    return args.refine_radius != 0 && there.x * there.x + there.y * there.y >= REFINE_LEAST * REFINE_LEAST;
}

// What the search there makes of a point.
__device__ TrackRecord conclude(const TrackArgs& args, const TrackStart& start, const Found& found,
                                f32 min_eigenvalue) {
    const bool tracked = found.status == TRACKED;
    const u32 status = tracked && args.max_residual < found.residual ? u32(RESIDUAL) : found.status;
    return TrackRecord{tracked ? start.u + found.x : start.u, tracked ? start.v + found.y : start.v,
                       found.residual, min_eigenvalue, 0.0f, status};
}

// What the search back makes of it; whether it agrees.
__device__ bool judge(const TrackArgs& args, const TrackStart& start, const Found& there, const Found& back,
                      bool writes, TrackRecord& record) {
    const f32 x = ((start.u + there.x) + back.x) - start.u, y = ((start.v + there.y) + back.y) - start.v;
    const f32 squares = x * x + y * y;
    const bool tracked = back.status == TRACKED;
    const bool consistent = tracked && squares <= args.max_backward_error * args.max_backward_error;
    if (writes && tracked) record.backward_error = sqrtf(squares);
    if (writes && !consistent) record.status = INCONSISTENT;
    return consistent;
}

// What the last search makes of it.
__device__ void correct(const TrackStart& start, const Found& there, const Found& fine, TrackRecord& record) {
    const f32 x = fine.x - there.x, y = fine.y - there.y;
    if (fine.status != TRACKED || REFINE_REACH * REFINE_REACH < x * x + y * y) return;
    record.u = start.u + fine.x;
    record.v = start.v + fine.y;
}

// Says what a pass searches. One thread calls it.
__device__ void prepare(const TrackArgs& args, u32 pass, TrackShared& shared) {
    const TrackStart& start = shared.start;
    const Found& there = shared.there;
    Search& search = shared.search;
    const bool trusted = pass == BACK || start.trusted != 0;
    search.there = pass != BACK;
    search.residual = 0.0f;
    search.levels = pass == FINE ? 1 : trusted ? least(args.levels, TRUSTED_LEVELS) : args.levels;
    search.radius = pass == FINE ? args.refine_radius : args.radius;
    search.from = pass == BACK ? Place{start.u + there.x, start.v + there.y} : Place{start.u, start.v};
    search.motion = pass == THERE  ? Place{start.guess_u - start.u, start.guess_v - start.v}
                    : pass == BACK ? Place{-there.x, -there.y}
                                   : Place{there.x, there.y};
}

// Forward, the gates, back again, and the last search. All threads of the block call it; the first one writes. One
// loop, so that there is one copy of the search: three would not fit the registers.
__device__ void track_point(const TrackArgs& args, u32 index, TrackShared& shared) {
    const bool writes = threadIdx.x == 0;
    if (writes) shared.start = args.starts[index];
    #pragma unroll 1
    for (u32 pass = THERE; pass <= FINE; ++pass) {
        if (pass == BACK && args.max_backward_error < 0.0f) continue;
        if (pass == FINE && !is_refined(args, shared.there)) break;
        __syncthreads(); // what the search before left has been read
        if (writes) prepare(args, pass, shared);
        __syncthreads();
        const u32 status = search(args, shared);
        if (pass == THERE && status == TRACKED && args.max_iter != 0) measure(args.illumination != 0, shared);
        TrackRecord& record = args.flows[index];
        const Found found{status, shared.search.motion.u, shared.search.motion.v, shared.search.residual};
        if (pass == THERE) {
            if (writes) record = conclude(args, shared.start, found, shared.system.min_eigenvalue);
            if (writes) shared.there = found;
            __syncthreads();
            if (status != TRACKED || args.max_residual < shared.there.residual) break;
        } else if (pass == BACK) {
            if (!judge(args, shared.start, shared.there, found, writes, record)) break;
        } else if (writes) {
            correct(shared.start, shared.there, found, record);
        }
    }
    __syncthreads(); // before the next point
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

extern "C" __global__ void __launch_bounds__(TRACK_BLOCK, 8) track(const TrackArgs args) {
    SHARED(TrackShared, shared);
    for (u32 i = blockIdx.x; i < args.count; i += gridDim.x) track_point(args, i, shared);
    publish(args);
}
