// C11: a window in runs of pixels, each of one row and one thread's.

const u32 RUN = 4; // pixels
const u32 GREATEST_RUNS = GREATEST_WINDOW * ((GREATEST_WINDOW + RUN - 1) / RUN);

// The runs of a window, row by row.
struct Runs {
    u32 across, inverse; // in a row; 2^31 / across, rounded up
    u32 count;

    __device__ explicit Runs(u32 side)
        : across((side + RUN - 1) / RUN), inverse((0x80000000u + across - 1) / across), count(side * across) {}
    __device__ u32 row(u32 i) const { return __umulhi(2 * i, inverse); } // i / across
};

// One of them.
struct Run {
    u32 row, column; // of its first pixel in the window

    __device__ Run(const Runs& runs, u32 i) : row(runs.row(i)), column(RUN * (i - row * runs.across)) {}

    // Whether its k-th pixel counts.
    __device__ bool counts(const Area& area, u32 k) const {
        return row - u32(area.top) < u32(area.rows) && column + k - u32(area.left) < u32(area.columns);
    }
};

const u32 NO_RUN = 0xFFFFu;
static_assert(GREATEST_RUNS <= 2 * TRACK_BLOCK, "a thread has two runs at most");

// Where a thread's runs lie in a patch, from the window's first pixel on, in 16 bits each.
__device__ u32 places_of_runs(u32 side) {
    const Runs runs(side);
    u32 places = 0;
    #pragma unroll
    for (u32 k = 0; k < 2; ++k) {
        const u32 i = threadIdx.x + k * TRACK_BLOCK;
        const Run run(runs, i);
        places |= (i < runs.count ? run.row * PATCH_PITCH + run.column : NO_RUN) << (16 * k);
    }
    return places;
}

// As many pixels as a run has, and one more, of two rows.
struct RunPixels {
    u32 first[2], last[2]; // the first four; the one more in the low byte

    // The first pixel lies at byte `at`.
    __device__ RunPixels(Patch& patch, u32 at) {
        #pragma unroll
        for (u32 row = 0; row < 2; ++row) {
            const u32 word = (at & ~3u) + row * PATCH_PITCH, bits = 8 * (at & 3u);
            const u32 low = word_of(patch.bytes, word), high = word_of(patch.bytes, word + 4);
            first[row] = __funnelshift_r(low, high, bits);
            last[row] = high >> bits;
        }
    }
    // Of the four pixels about place k, the i-th in the order of the weights.
    __device__ i32 about(u32 k, u32 i) const {
        const u32 column = k + i % 2;
        return i32((column < RUN ? first[i / 2] >> (8 * column) : last[i / 2]) & 255u);
    }
};
