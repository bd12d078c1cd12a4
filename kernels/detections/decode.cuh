// D1 and D2: every value is looked at, anchors above the threshold are collected. Their order is made later.

const u32 ROW_TILE = 64;      // anchors of a block's turn where an anchor's values lie side by side
const u32 ROW_GROUP = 4;      // anchors of a warp at once
const u32 PLANE_TILE = WARP;  // where those of a channel do: a lane an anchor, a warp every eighth channel

// Below every value.
const f32 NO_VALUE = -3.0e38f;

union DecodeShared {
    struct {
        u32 count, first;
        Array<u64, ROW_TILE> keys;
        Array<u32, ROW_TILE> classes;
    } rows;
    struct {
        Array<f32, WARPS * WARP> values;
        Array<u32, WARPS * WARP> classes;
    } planes;
};

// The greater value, on ties the lower class.
struct Best {
    f32 value;
    u32 index;

    __device__ void raise(f32 other, u32 other_index) {
        if (value < other || (value == other && other_index < index)) {
            value = other;
            index = other_index;
        }
    }
};

// Over the warp.
__device__ Best warp_best(Best best) {
    for (u32 step = WARP / 2; step > 0; step /= 2) {
        const f32 value = __shfl_xor_sync(ALL_LANES, best.value, step);
        const u32 index = __shfl_xor_sync(ALL_LANES, best.index, step);
        best.raise(value, index);
    }
    return best;
}

// A warp's anchors from `first` on, to the block's list.
template <typename T>
__device__ void decode_row_group(const DetectionsArgs& args, u32 image, u32 first, u32& bad, DecodeShared& shared) {
    const T* tensor = reinterpret_cast<const T*>(args.tensor);
    const u32 lane = threadIdx.x % WARP, leading = leading_channels(args);
    const u32 here = first < args.anchors ? least(args.anchors - first, ROW_GROUP) : 0;
    const u32 start = (image * args.anchors + first) * args.channels;
    Best best[ROW_GROUP];
    f32 objectness[ROW_GROUP];
    for (u32 k = 0; k < ROW_GROUP; ++k) {
        best[k].value = NO_VALUE;
        best[k].index = NO_INDEX;
        objectness[k] = 0.0f;
    }
    for (u32 channel = lane; channel < args.channels; channel += WARP) {
        #pragma unroll
        for (u32 k = 0; k < ROW_GROUP; ++k) {
            if (k >= here) continue;
            const u32 index = start + k * args.channels + channel;
            const f32 value = widen(tensor[index]);
            if (!admitted(args, value, channel)) bad = least(bad, index);
            if (channel >= leading) best[k].raise(value, channel - leading);
            else if (channel == 4) objectness[k] = value;
        }
    }
    #pragma unroll
    for (u32 k = 0; k < ROW_GROUP; ++k) {
        if (k >= here) continue;
        const Best found = warp_best(best[k]);
        const f32 score = score_of(args, found.value, __shfl_sync(ALL_LANES, objectness[k], 4));
        if (lane != 0 || !(score > args.confidence)) continue;
        const u32 slot = atomicAdd(&shared.rows.count, 1u);
        shared.rows.keys[slot] = candidate_key(score, first + k);
        shared.rows.classes[slot] = found.index;
    }
}

template <typename T>
__device__ void decode_rows(const DetectionsArgs& args, u32& bad, DecodeShared& shared) {
    const u32 tiles = rounded_up(args.anchors, ROW_TILE), own = ROW_TILE / WARPS;
    for (u32 tile = blockIdx.x; tile < tiles * args.batch; tile += gridDim.x) {
        const u32 image = tile / tiles, first = tile % tiles * ROW_TILE + threadIdx.x / WARP * own;
        if (threadIdx.x == 0) shared.rows.count = 0;
        __syncthreads();
        for (u32 i = 0; i < own; i += ROW_GROUP) decode_row_group<T>(args, image, first + i, bad, shared);
        __syncthreads();
        const u32 count = shared.rows.count;
        if (threadIdx.x == 0 && count > 0) shared.rows.first = atomicAdd(args.candidate_counts + image, count);
        __syncthreads();
        if (threadIdx.x < count) {
            const u32 slot = image * args.anchors + shared.rows.first + threadIdx.x;
            args.keys[slot] = shared.rows.keys[threadIdx.x];
            args.key_classes[slot] = shared.rows.classes[threadIdx.x];
        }
        __syncthreads(); // before the list begins anew
    }
}

template <typename T>
__device__ void decode_planes(const DetectionsArgs& args, u32& bad, DecodeShared& shared) {
    const T* tensor = reinterpret_cast<const T*>(args.tensor);
    const u32 tiles = rounded_up(args.anchors, PLANE_TILE), lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    for (u32 tile = blockIdx.x; tile < tiles * args.batch; tile += gridDim.x) {
        const u32 image = tile / tiles, anchor = tile % tiles * PLANE_TILE + lane;
        const bool here = anchor < args.anchors;
        Best best = {NO_VALUE, NO_INDEX};
        #pragma unroll 4
        for (u32 channel = warp; channel < args.channels; channel += WARPS) {
            if (!here) continue;
            const u32 index = (image * args.channels + channel) * args.anchors + anchor;
            const f32 value = widen(tensor[index]);
            if (!admitted(args, value, channel)) bad = least(bad, index);
            if (channel >= 4) best.raise(value, channel - 4);
        }
        shared.planes.values[threadIdx.x] = best.value;
        shared.planes.classes[threadIdx.x] = best.index;
        __syncthreads();
        if (warp == 0) {
            for (u32 w = 1; w < WARPS; ++w)
                best.raise(shared.planes.values[w * WARP + lane], shared.planes.classes[w * WARP + lane]);
            const f32 score = here ? score_of(args, best.value, 0.0f) : NO_VALUE;
            const bool candidate = score > args.confidence;
            const u32 all = __ballot_sync(ALL_LANES, candidate);
            u32 slot = 0;
            if (lane == 0 && all != 0) slot = atomicAdd(args.candidate_counts + image, u32(__popc(all)));
            slot = __shfl_sync(ALL_LANES, slot, 0) + u32(__popc(all & ((1u << lane) - 1)));
            if (candidate) {
                args.keys[image * args.anchors + slot] = candidate_key(score, anchor);
                args.key_classes[image * args.anchors + slot] = best.index;
            }
        }
        __syncthreads(); // before the values are replaced
    }
}

__device__ void decode(const DetectionsArgs& args, DecodeShared& shared) {
    u32 bad = NO_INDEX;
    if (args.layout == LAYOUT_PLANES) {
        if (args.half_floats != 0) decode_planes<u16>(args, bad, shared);
        else decode_planes<f32>(args, bad, shared);
    } else {
        if (args.half_floats != 0) decode_rows<u16>(args, bad, shared);
        else decode_rows<f32>(args, bad, shared);
    }
    if (bad != NO_INDEX) atomicMax(args.bad, ~bad);
}
