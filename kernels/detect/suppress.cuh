// C5, C9: response, suppression and sub-pixel position of the corners of a tile.

// V of four pixels of a row smoothed along it, (1 2 1): those in even columns of the word, and those in odd ones.
struct SmoothedRow {
    u32 even, odd; // 16 bits each
};

__device__ SmoothedRow smoothed_row(CornerShared& shared, u32 at) {
    const u32 left = word_of(shared.strengths, at - 4), here = word_of(shared.strengths, at);
    const u32 right = word_of(shared.strengths, at + 4);
    const u32 before = even_bytes(__funnelshift_r(left, here, 24)), even = even_bytes(here);
    const u32 odd = even_bytes(here >> 8), after = even_bytes(__funnelshift_r(here, right, 16));
    return SmoothedRow{before + 2 * even + odd, even + 2 * odd + after};
}

const u32 RESPONSE_ACROSS = (TILE + 8) / 4; // words of four that cover a row of responses
const u32 RESPONSE_ROWS = TILE + 2;
const u32 ROWS_EACH = 2; // that a thread smooths in a column of words
const u32 TO_RESPONSES = PITCH; // from an index of responses to that of its strength

// S wherever suppression may look at it.
__device__ void find_responses(CornerShared& shared) {
    static_assert(RESPONSE_ROWS % ROWS_EACH == 0, "a thread's rows all exist");
    for (u32 i = threadIdx.x; i < RESPONSE_ACROSS * (RESPONSE_ROWS / ROWS_EACH); i += BLOCK) {
        u32 at = i / RESPONSE_ACROSS * ROWS_EACH * PITCH + MARGIN_X - 4 + i % RESPONSE_ACROSS * 4;
        SmoothedRow above = smoothed_row(shared, at), here = smoothed_row(shared, at + PITCH);
        #pragma unroll
        for (u32 row = 0; row < ROWS_EACH; ++row, at += PITCH) {
            const SmoothedRow below = smoothed_row(shared, at + 2 * PITCH);
            const u32 even = above.even + 2 * here.even + below.even, odd = above.odd + 2 * here.odd + below.odd;
            pair_of(shared.responses, at) = __byte_perm(even, odd, 0x5410);
            pair_of(shared.responses, at + 2) = __byte_perm(even, odd, 0x7632);
            above = here;
            here = below;
        }
    }
    __syncthreads();
}

// S at a corner and around it.
struct Responses {
    i32 s[3][3]; // row, column
};

__device__ Responses responses_at(CornerShared& shared, u32 at) {
    Responses responses;
    #pragma unroll
    for (i32 j = 0; j < 3; ++j)
        #pragma unroll
        for (i32 i = 0; i < 3; ++i)
            responses.s[j][i] = shared.responses[at - TO_RESPONSES + (j - 1) * i32(PITCH) + i - 1];
    return responses;
}

// Whether S is greater than at the four neighbours before it, and at least as great as at the four after it.
__device__ bool is_peak(const Responses& responses) {
    const i32 (&s)[3][3] = responses.s;
    const i32 here = s[1][1];
    return here > s[0][0] && here > s[0][1] && here > s[0][2] && here > s[1][0] &&
           here >= s[1][2] && here >= s[2][0] && here >= s[2][1] && here >= s[2][2];
}

// Lists the survivors of suppression (C5).
__device__ void suppress(const Tile& tile, CornerShared& shared) {
    // The centres of the level that lie in the tile.
    const i32 left = most(BORDER - tile.left, 0), top = most(BORDER - tile.top, 0);
    const u32 columns = most(least(tile.level.width - BORDER - tile.left, i32(TILE)) - left, 0);
    const u32 rows = most(least(tile.level.height - BORDER - tile.top, i32(TILE)) - top, 0);
    const CornerCounts counts = corner_counts(shared);
    for (u32 i = threadIdx.x; i < counts.bright + counts.dark; i += BLOCK) {
        const bool is_dark = i >= counts.bright;
        const u32 at = corner_at(shared, is_dark, is_dark ? i - counts.bright : i);
        const u32 column = at % PITCH - MARGIN_X - left, row = at / PITCH - STRENGTH_MARGIN - top;
        if (column >= columns || row >= rows || !is_peak(responses_at(shared, at))) continue;
        shared.survivors[atomicAdd(&shared.survivor_count, 1u)] = u16(at);
    }
    __syncthreads();
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

// Survivors go to the slots of the tile and to the map of peaks.
__device__ void write_survivors(const DetectArgs& args, const Tile& tile, CornerShared& shared) {
    CornerSlot* slots = args.slots + tile.index * TILE_SLOTS;
    for (u32 i = threadIdx.x; i < shared.survivor_count; i += BLOCK) {
        const u32 at = shared.survivors[i];
        const u32 column = at % PITCH - MARGIN_X, row = at / PITCH - STRENGTH_MARGIN;
        const i32 x = tile.left + i32(column), y = tile.top + i32(row);
        const Responses responses = responses_at(shared, at);
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
        slots[i] = slot;
        shared.peaks[row / 2 * (TILE / 2) + column / 2] =
            u16(slot.response | column % 2 << PEAK_RIGHT | row % 2 << PEAK_LOWER);
    }
    __syncthreads();
    if (threadIdx.x < TILE_SLOTS / 2) { // two a thread
        const u32 block_x = 2 * threadIdx.x % (TILE / 2), block_y = 2 * threadIdx.x / (TILE / 2);
        u16* const out = args.peaks + peak_index(tile.level, u32(tile.left) / 2 + block_x, u32(tile.top) / 2 + block_y);
        *reinterpret_cast<u32*>(out) = pair_of(shared.peaks, 2 * threadIdx.x);
    }
    if (threadIdx.x == 0) args.slot_counts[tile.index] = shared.survivor_count;
    __syncthreads();
}

// Finds the survivors of every tile of every level, and the thresholds of the level-0 tiles.
__device__ void find_survivors(const DetectArgs& args, CornerShared& corners, ThresholdShared& thresholds) {
    for (u32 index = blockIdx.x; index < args.tiles; index += gridDim.x) {
        const Tile tile = tile_at(args, index);
        load_tile(args, tile, corners);
        find_corners(args, tile, corners);
        if (corners.corner_counts != 0) {
            find_strengths(corners);
            find_responses(corners);
            suppress(tile, corners);
        }
        write_survivors(args, tile, corners);
        if (tile.level.index == 0) measure_tile(args, tile, thresholds);
    }
}
