// C5, C9: response, suppression and sub-pixel position of the candidates of a tile, each by one thread.

// S at a candidate and around it.
struct Responses {
    i32 s[3][3]; // row, column
};

// S about index `at` of the strengths (C5): V smoothed along rows, then along columns.
__device__ Responses responses_at(CornerShared& shared, u32 at) {
    i32 across[5][3];
    #pragma unroll
    for (i32 j = 0; j < 5; ++j) {
        i32 v[5];
        #pragma unroll
        for (i32 i = 0; i < 5; ++i) v[i] = shared.strengths[at + (j - 2) * i32(PITCH) + i - 2];
        #pragma unroll
        for (i32 i = 0; i < 3; ++i) across[j][i] = v[i] + 2 * v[i + 1] + v[i + 2];
    }
    Responses responses;
    #pragma unroll
    for (i32 j = 0; j < 3; ++j)
        #pragma unroll
        for (i32 i = 0; i < 3; ++i) responses.s[j][i] = across[j][i] + 2 * across[j + 1][i] + across[j + 2][i];
    return responses;
}

// Whether S is greater than at the four neighbours before it, and at least as great as at the four after it.
__device__ bool is_peak(const Responses& responses) {
    const i32 (&s)[3][3] = responses.s;
    const i32 here = s[1][1];
    return here > s[0][0] && here > s[0][1] && here > s[0][2] && here > s[1][0] &&
           here >= s[1][2] && here >= s[2][0] && here >= s[2][1] && here >= s[2][2];
}

__device__ f32 clamp_half(f32 offset) {
    offset = offset < -0.5f ? -0.5f : offset;
    return 0.5f < offset ? 0.5f : offset;
}

// Offset of the maximum of S from the pixel: one Newton step (C9).
__device__ void subpixel_offset(const Responses& responses, f32& off_x, f32& off_y) {
    const i32 (&s)[3][3] = responses.s;
    const i32 gx = s[1][2] - s[1][0], gy = s[2][1] - s[0][1];
    const i32 hxx = s[1][2] + s[1][0] - 2 * s[1][1], hyy = s[2][1] + s[0][1] - 2 * s[1][1];
    const i32 hxy = s[2][2] + s[0][0] - s[0][2] - s[2][0];
    const i32 determinant = 16 * hxx * hyy - hxy * hxy;
    off_x = off_y = 0.0f;
    if (determinant <= 0 || hxx >= 0) return;
    off_x = clamp_half(f32(2 * hxy * gy - 8 * hyy * gx) / f32(determinant));
    off_y = clamp_half(f32(2 * hxy * gx - 8 * hxx * gy) / f32(determinant));
}

__device__ f32 subpixel_position(i32 x, f32 offset, u32 level) {
    return ((f32(x) + offset) + 0.5f) * f32(1u << level) - 0.5f;
}

// Suppression (C5): survivors go to the slots of the tile and to the map of peaks.
__device__ void suppress(const DetectArgs& args, const Tile& tile, CornerShared& shared) {
    CornerSlot* slots = args.slots + tile.index * TILE_SLOTS;
    for (u32 i = threadIdx.x; i < shared.candidate_count; i += BLOCK) {
        const u32 at = shared.candidates[i];
        const Responses responses = responses_at(shared, at);
        if (!is_peak(responses)) continue;
        const u32 column = at % PITCH - MARGIN_X, row = at / PITCH - STRENGTH_MARGIN;
        const i32 x = tile.left + i32(column), y = tile.top + i32(row);
        f32 off_x, off_y;
        subpixel_offset(responses, off_x, off_y);
        CornerSlot slot;
        slot.u = subpixel_position(x, off_x, tile.level.index);
        slot.v = subpixel_position(y, off_y, tile.level.index);
        slot.x = u16(x);
        slot.y = u16(y);
        slot.response = u16(responses.s[1][1]);
        slot.strength = shared.strengths[at];
        slot.reserved = 0;
        slots[atomicAdd(&shared.survivor_count, 1u)] = slot;
        shared.peaks[row / 2 * (TILE / 2) + column / 2] =
            u16(slot.response | column % 2 << PEAK_RIGHT | row % 2 << PEAK_LOWER);
    }
    __syncthreads();
    const u32 block_x = threadIdx.x % (TILE / 2), block_y = threadIdx.x / (TILE / 2);
    args.peaks[peak_index(tile.level, u32(tile.left) / 2 + block_x, u32(tile.top) / 2 + block_y)] =
        shared.peaks[threadIdx.x];
    if (threadIdx.x == 0) args.slot_counts[tile.index] = shared.survivor_count;
    __syncthreads();
}

// Finds the survivors of every tile of every level, and the thresholds of the level-0 tiles.
__device__ void find_corners(const DetectArgs& args, CornerShared& corners, ThresholdShared& thresholds) {
    for (u32 index = blockIdx.x; index < args.tiles; index += gridDim.x) {
        const Tile tile = tile_at(args, index);
        load_tile(args, tile, corners);
        find_likely(args, tile, corners);
        find_strengths(args, tile, corners);
        suppress(args, tile, corners);
        if (tile.level.index == 0) measure_tile(args, tile, thresholds);
    }
}
