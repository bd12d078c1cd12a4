// C4: corners and their strength. First the segment test, four pixels of a word at a time; then V of those that pass it,
// on the side on which their ring differs.

const u32 WANTED_ACROSS = (TILE + 8) / 4; // words that cover a row of pixels whose V is wanted
const u32 ROWS_TESTED = 2; // by a thread, one above the other: they share most of the pixels around

// Four pixels that lie (dx, dy) from those at index `at` of the window, |dx| at most 3.
__device__ u32 four_beside(CornerShared& shared, u32 at, i32 dx, i32 dy) {
    const u32 row = at + u32(dy * i32(PITCH));
    if (dx == 0) return word_of(shared.pixels, row);
    return dx < 0 ? __funnelshift_r(word_of(shared.pixels, row - 4), word_of(shared.pixels, row), u32(32 + 8 * dx))
                  : __funnelshift_r(word_of(shared.pixels, row), word_of(shared.pixels, row + 4), u32(8 * dx));
}

// Limits for four pixels of a ring. Bytes are compared by their low seven bits in a subtraction that borrows nothing from
// its neighbour, their high bits beside it. Of what is found in a byte the highest bit counts.
struct RingLimits {
    u32 high, high_low; // centre + tmin; its low bits and what keeps bytes apart
    u32 low, low_low;   // centre - tmin, and its low bits
};

__device__ RingLimits ring_limits(u32 centre, u32 limits) {
    const u32 high = __vaddus4(centre, limits), low = __vsubus4(centre, limits);
    return RingLimits{high, (high & 0x7F7F7F7Fu) + 0x01010100u, low, low & 0x7F7F7F7Fu};
}

// Where four pixels exceed the limits, in the high half of each byte, and where they fall below, in the low half.
__device__ u32 compare_ring(u32 four, const RingLimits& limits) {
    const u32 raised = four | 0x80808080u;
    const u32 not_above = limits.high_low - raised, not_below = raised - limits.low_low;
    const u8 A = 0xF0, B = 0xCC, C = 0xAA;
    const u32 brighter = bitwise<u8(~((A & ~B) | (~(A ^ B) & C)))>(limits.high, four, not_above);
    const u32 darker = bitwise<u8(~((A & ~B) | (~(A ^ B) & C)))>(four, limits.low, not_below);
    return bitwise<u8((A & C) | (B & ~C))>(brighter, darker >> 4, 0xF0F0F0F0u);
}

// Where nine in a row hold. Arcs that begin at 2k and 2k + 1 share the eight from 2k + 1 on.
__device__ u32 nine_in_row(const u32 (&ring)[16]) {
    u32 two[8], four[8], nine = 0;
    #pragma unroll
    for (i32 k = 0; k < 8; ++k) two[k] = ring[2 * k + 1] & ring[(2 * k + 2) % 16];
    #pragma unroll
    for (i32 k = 0; k < 8; ++k) four[k] = two[k] & two[(k + 1) % 8];
    #pragma unroll
    for (i32 k = 0; k < 8; ++k) nine |= four[k] & four[(k + 2) % 8] & (ring[2 * k] | ring[(2 * k + 9) % 16]);
    return nine;
}

// The segment test of four pixels: bits 7 and 3 of those with nine brighter, or nine darker, pixels in a row.
__device__ u32 test_segments(CornerShared& shared, u32 at, u32 limits) {
    const i32 ring_x[16] = {0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3, -3, -3, -2, -1};
    const i32 ring_y[16] = {3, 3, 2, 1, 0, -1, -2, -3, -3, -3, -2, -1, 0, 1, 2, 3};
    const RingLimits around = ring_limits(four_beside(shared, at, 0, 0), limits);
    u32 ring[16];
    #pragma unroll
    for (i32 k = 0; k < 16; k += 4)
        ring[k] = compare_ring(four_beside(shared, at, ring_x[k], ring_y[k]), around);
    // Nine in a row hold two neighbours among every fourth.
    if (((ring[0] | ring[8]) & (ring[4] | ring[12]) & 0x88888888u) == 0) return 0;
    #pragma unroll
    for (i32 k = 0; k < 16; ++k)
        if (k % 4 != 0) ring[k] = compare_ring(four_beside(shared, at, ring_x[k], ring_y[k]), around);
    return nine_in_row(ring) & 0x88888888u;
}

// Those of four pixels from (x, y) on whose ring lies in the level, and V of which is wanted: bytes of ones.
__device__ u32 wanted_of_four(const Tile& tile, i32 x, i32 y) {
    if (y < RING_RADIUS || y >= tile.level.height - RING_RADIUS) return 0;
    const i32 first = most(tile.left - STRENGTH_MARGIN, RING_RADIUS);
    const i32 last = least(tile.left + i32(TILE) + STRENGTH_MARGIN, tile.level.width - RING_RADIUS) - 1;
    if (x > last || x + 3 < first) return 0;
    return (x < first ? ~0u << 8 * (first - x) : ~0u) & (x + 3 > last ? ~0u >> 8 * (x + 3 - last) : ~0u);
}

// Lists the pixels at which V exceeds tmin.
__device__ void find_corners(const DetectArgs& args, const Tile& tile, CornerShared& shared) {
    static_assert(WANTED_ROWS % ROWS_TESTED == 0, "a thread's rows all exist");
    const u32 limits = args.threshold_min * 0x01010101u;
    for (u32 i = threadIdx.x; i < WANTED_ACROSS * (WANTED_ROWS / ROWS_TESTED); i += BLOCK) {
        const u32 row = i / WANTED_ACROSS * ROWS_TESTED, column = i % WANTED_ACROSS * 4;
        const u32 at = row * PITCH + MARGIN_X - 4 + column;
        const i32 x = tile.left - 4 + i32(column), y = tile.top - STRENGTH_MARGIN + i32(row);
        u32 found[ROWS_TESTED], own = 0;
        #pragma unroll
        for (u32 k = 0; k < ROWS_TESTED; ++k) {
            found[k] = wanted_of_four(tile, x, y + i32(k)) & test_segments(shared, at + k * PITCH + TO_WINDOW, limits);
            own += u32(__popc(found[k] & 0x80808080u)) | u32(__popc(found[k] & 0x08080808u)) << 16;
        }
        if (own == 0) continue;
        const u32 before = atomicAdd(&shared.corner_counts, own);
        u32 to_bright = before & 0xFFFFu, to_dark = WANTED - 1 - (before >> 16);
        #pragma unroll
        for (u32 k = 0; k < ROWS_TESTED; ++k)
            #pragma unroll
            for (u32 byte = 0; byte < 4; ++byte) {
                if ((found[k] >> (8 * byte + 7) & 1) != 0) shared.corners[to_bright++] = u16(at + k * PITCH + byte);
                if ((found[k] >> (8 * byte + 3) & 1) != 0) shared.corners[to_dark--] = u16(at + k * PITCH + byte);
            }
    }
    __syncthreads();
}

// The greatest of the 16 minima over nine neighbours on the ring, or the least of the maxima. Arcs that begin at 2k and
// 2k + 1 share the eight values from 2k + 1 on:
// max(min(first, shared), min(shared, last)) = min(shared, max(first, last)).
template <bool MINIMA>
__device__ i32 best_arc(const i32 (&ring)[16]) {
    i32 two[8], four[8], best = 0;
    #pragma unroll
    for (i32 k = 0; k < 8; ++k) two[k] = lesser<MINIMA>(ring[2 * k + 1], ring[(2 * k + 2) % 16]);
    #pragma unroll
    for (i32 k = 0; k < 8; ++k) four[k] = lesser<MINIMA>(two[k], two[(k + 1) % 8]);
    #pragma unroll
    for (i32 k = 0; k < 8; ++k) {
        const i32 eight = lesser<MINIMA>(four[k], four[(k + 2) % 8]);
        const i32 arc = lesser<MINIMA>(eight, lesser<!MINIMA>(ring[2 * k], ring[(2 * k + 9) % 16]));
        best = k == 0 ? arc : lesser<!MINIMA>(best, arc);
    }
    return best;
}

// V at index `at` of the window, whose ring has nine brighter, or nine darker, pixels in a row.
template <bool DARK>
__device__ i32 corner_strength(CornerShared& shared, u32 at) {
    const i32 P = PITCH;
    const i32 offsets[16] = {3 * P,      3 * P + 1,  2 * P + 2,  P + 3,  3,  -P + 3, -2 * P + 2, -3 * P + 1,
                             -3 * P,     -3 * P - 1, -2 * P - 2, -P - 3, -3, P - 3,  2 * P - 2,  3 * P - 1};
    i32 ring[16];
    #pragma unroll
    for (i32 k = 0; k < 16; ++k) ring[k] = shared.pixels[at + offsets[k]];
    const i32 centre = shared.pixels[at];
    return DARK ? centre - best_arc<false>(ring) : best_arc<true>(ring) - centre;
}

// V of all corners. The lanes of a warp are on the same side.
__device__ void find_strengths(CornerShared& shared) {
    const CornerCounts counts = corner_counts(shared);
    const u32 lane = threadIdx.x % WARP;
    const u32 bright_warps = rounded_up(counts.bright, WARP), warps = bright_warps + rounded_up(counts.dark, WARP);
    for (u32 warp = threadIdx.x / WARP; warp < warps; warp += WARPS) {
        const bool is_dark = warp >= bright_warps;
        const u32 i = (is_dark ? warp - bright_warps : warp) * WARP + lane;
        if (i >= (is_dark ? counts.dark : counts.bright)) continue;
        const u32 at = corner_at(shared, is_dark, i);
        shared.strengths[at] = u8(is_dark ? corner_strength<true>(shared, at + TO_WINDOW)
                                          : corner_strength<false>(shared, at + TO_WINDOW));
    }
    __syncthreads();
}
