// C4: corner strength, tile by tile: a window into shared memory, a test of four pixels at a time, then V of those that
// passed it.

const i32 MARGIN_X = 8; // columns beside a tile in the window: suppression 1 + 1 + 3 pixels, and whole words
const i32 MARGIN_Y = 5; // rows above and below it
const i32 STRENGTH_MARGIN = 2; // V is wanted around a tile for S, S for suppression
const u32 PITCH = TILE + 2 * MARGIN_X; // bytes of a row, of pixels and of strengths
const u32 WINDOW_BYTES = PITCH * (TILE + 2 * MARGIN_Y);
const u32 STRENGTH_BYTES = PITCH * (TILE + 2 * STRENGTH_MARGIN);
const u32 TO_WINDOW = PITCH * u32(MARGIN_Y - STRENGTH_MARGIN); // from an index of strengths to that of its pixel
const u32 WANTED_ROWS = TILE + 2 * STRENGTH_MARGIN;
const u32 WANTED = WANTED_ROWS * WANTED_ROWS; // pixels whose V is wanted
const u32 WANTED_ACROSS = (TILE + 8) / 4;     // words that cover a row of them
const u32 WANTED_WORDS = WANTED_ROWS * WANTED_ACROSS;

struct CornerShared {
    alignas(16) Array<u8, WINDOW_BYTES> pixels;
    alignas(16) Array<u8, STRENGTH_BYTES> strengths;
    alignas(16) Array<u16, TILE_SLOTS> peaks;
    Array<u16, WANTED> likely;          // pixels at which V all but exceeds tmin: indices of `strengths`
    Array<u16, TILE * TILE> candidates; // centres of the tile at which it does
    u32 likely_count, candidate_count, survivor_count;
};

// A tile and its place.
struct Tile {
    Level level;
    u32 index;     // among those of all levels
    i32 left, top; // px of the level
};

__device__ Tile tile_at(const DetectArgs& args, u32 index) {
    const Level level = level_at(args, level_of_tile(args, index));
    const u32 in_level = index - level.first_tile;
    const u32 row = __umulhi(2 * in_level, level.tiles_x_inverse); // in_level / tiles_x
    return Tile{level, index, i32((in_level - row * level.tiles_x) * TILE), i32(row * TILE)};
}

// Fills the window around the tile; pixels outside the level decide nothing.
__device__ void load_tile(const DetectArgs& args, const Tile& tile, CornerShared& shared) {
    const i32 across = PITCH / 4, rows = WINDOW_BYTES / PITCH, step = rows / 2; // a thread two words of a column
    const i32 column = threadIdx.x % across, first = threadIdx.x / across;
    const i32 x = tile.left - MARGIN_X + 4 * column;
    const u8* const pixels = args.pyramid + tile.level.offset + x;
    static_assert(PITCH / 4 * (WINDOW_BYTES / PITCH / 2) <= BLOCK, "as many threads as words of half a window");
    #pragma unroll
    for (i32 row = first; row < first + rows; row += step) {
        const i32 y = tile.top - MARGIN_Y + row;
        const bool inside = x >= 0 && x < tile.level.width && y >= 0 && y < tile.level.height;
        const u32 word = inside ? *reinterpret_cast<const u32*>(pixels + u32(y) * tile.level.pitch) : 0;
        if (first < step) word_of(shared.pixels, 4 * u32(row * across + column)) = word;
    }
    for (u32 i = threadIdx.x; i < STRENGTH_BYTES / 4; i += BLOCK) word_of(shared.strengths, 4 * i) = 0;
    shared.peaks[threadIdx.x] = 0;
    if (threadIdx.x == 0) shared.likely_count = shared.candidate_count = shared.survivor_count = 0;
    __syncthreads();
}

// What bytes are compared with, four at a time.
struct Limit {
    u32 missing; // what the low seven bits of a byte that is just above lack to 2^7, in each byte
    u32 either;  // all bits where a high bit alone is above, none where the low ones count as well
};

__device__ Limit limit_of(u32 limit) { return Limit{(127u - (limit & 127u)) * 0x01010101u, limit < 128 ? ~0u : 0u}; }

// The high bits of the bytes that exceed the limit; the other bits mean nothing.
__device__ u32 bytes_above(u32 four, const Limit& limit) {
    const u32 sums = (four & 0x7F7F7F7Fu) + limit.missing;
    return (four & sums) | ((four | sums) & limit.either);
}

// Four pixels that lie (dx, dy) from those at index `at` of the window, |dx| at most 3.
__device__ u32 four_beside(CornerShared& shared, u32 at, i32 dx, i32 dy) {
    const u32 row = at + u32(dy * i32(PITCH));
    if (dx == 0) return word_of(shared.pixels, row);
    return dx < 0 ? __funnelshift_r(word_of(shared.pixels, row - 4), word_of(shared.pixels, row), u32(32 + 8 * dx))
                  : __funnelshift_r(word_of(shared.pixels, row), word_of(shared.pixels, row + 4), u32(8 * dx));
}

// The high bits of those of four pixels that have nine neighbours in a row on the ring that differ by more than the
// limit, not all necessarily in the same sense.
__device__ u32 nine_differ(CornerShared& shared, u32 at, const Limit& limit) {
    const i32 ring_x[16] = {0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3, -3, -3, -2, -1};
    const i32 ring_y[16] = {3, 3, 2, 1, 0, -1, -2, -3, -3, -3, -2, -1, 0, 1, 2, 3};
    const u32 centre = four_beside(shared, at, 0, 0);
    u32 differ[16], two[8], four[8], nine = 0;
    #pragma unroll
    for (i32 k = 0; k < 16; k += 4)
        differ[k] = bytes_above(__vabsdiffu4(four_beside(shared, at, ring_x[k], ring_y[k]), centre), limit);
    // Nine in a row hold two neighbours among every fourth.
    if (((differ[0] | differ[8]) & (differ[4] | differ[12]) & 0x80808080u) == 0) return 0;
    #pragma unroll
    for (i32 k = 0; k < 16; ++k)
        if (k % 4 != 0)
            differ[k] = bytes_above(__vabsdiffu4(four_beside(shared, at, ring_x[k], ring_y[k]), centre), limit);
    // Arcs that begin at 2k and 2k + 1 share the eight neighbours from 2k + 1 on.
    #pragma unroll
    for (i32 k = 0; k < 8; ++k) two[k] = differ[2 * k + 1] & differ[(2 * k + 2) % 16];
    #pragma unroll
    for (i32 k = 0; k < 8; ++k) four[k] = two[k] & two[(k + 1) % 8];
    #pragma unroll
    for (i32 k = 0; k < 8; ++k) nine |= four[k] & four[(k + 2) % 8] & (differ[2 * k] | differ[(2 * k + 9) % 16]);
    return nine & 0x80808080u;
}

// Lists the pixels at which V all but exceeds tmin.
__device__ void find_likely(const DetectArgs& args, const Tile& tile, CornerShared& shared) {
    const Limit limit = limit_of(args.threshold_min);
    const i32 first_x = most(tile.left - STRENGTH_MARGIN, RING_RADIUS);
    const i32 last_x = least(tile.left + i32(TILE) + STRENGTH_MARGIN, tile.level.width - RING_RADIUS) - 1;
    for (u32 i = threadIdx.x; i < WANTED_WORDS; i += BLOCK) {
        const u32 row = i / WANTED_ACROSS, column = i % WANTED_ACROSS * 4, at = row * PITCH + MARGIN_X - 4 + column;
        const i32 x = tile.left - 4 + i32(column), y = tile.top - STRENGTH_MARGIN + i32(row);
        if (y < RING_RADIUS || y >= tile.level.height - RING_RADIUS) continue;
        u32 found = nine_differ(shared, at + TO_WINDOW, limit);
        if (x < first_x) found = first_x - x < 4 ? found & ~0u << 8 * (first_x - x) : 0;
        if (x + 3 > last_x) found = x <= last_x ? found & ~0u >> 8 * (x + 3 - last_x) : 0;
        if (found == 0) continue;
        u32 to = atomicAdd(&shared.likely_count, u32(__popc(found)));
        #pragma unroll
        for (u32 byte = 0; byte < 4; ++byte)
            if ((found >> (8 * byte + 7) & 1) != 0) shared.likely[to++] = u16(at + byte);
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

// V of C4 at index `at` of the window; not positive where there is no corner.
__device__ i32 corner_strength(CornerShared& shared, u32 at) {
    const i32 P = PITCH;
    const i32 offsets[16] = {3 * P,      3 * P + 1,  2 * P + 2,  P + 3,  3,  -P + 3, -2 * P + 2, -3 * P + 1,
                             -3 * P,     -3 * P - 1, -2 * P - 2, -P - 3, -3, P - 3,  2 * P - 2,  3 * P - 1};
    i32 ring[16];
    #pragma unroll
    for (i32 k = 0; k < 16; ++k) ring[k] = shared.pixels[at + offsets[k]];
    const i32 centre = shared.pixels[at];
    return most(best_arc<true>(ring) - centre, centre - best_arc<false>(ring));
}

// V where it exceeds tmin, 0 elsewhere; lists where it does.
__device__ void find_strengths(const DetectArgs& args, const Tile& tile, CornerShared& shared) {
    const i32 limit = args.threshold_min;
    // The centres of the level that lie in the tile.
    const i32 left = most(BORDER - tile.left, 0), top = most(BORDER - tile.top, 0);
    const i32 columns = least(tile.level.width - BORDER - tile.left, i32(TILE)) - left;
    const i32 rows = least(tile.level.height - BORDER - tile.top, i32(TILE)) - top;
    for (u32 i = threadIdx.x; i < shared.likely_count; i += BLOCK) {
        const u32 at = shared.likely[i];
        const i32 strength = corner_strength(shared, at + TO_WINDOW);
        if (strength <= limit) continue;
        shared.strengths[at] = u8(strength);
        const i32 column = i32(at % PITCH) - MARGIN_X - left, row = i32(at / PITCH) - STRENGTH_MARGIN - top;
        if (column >= 0 && column < columns && row >= 0 && row < rows)
            shared.candidates[atomicAdd(&shared.candidate_count, 1u)] = u16(at);
    }
    __syncthreads();
}
