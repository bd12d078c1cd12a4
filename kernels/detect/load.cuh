// Grey and C0: each source pixel is read once and turned to grey, filtered where that is wanted, and the pyramid is
// written. Without filters a thread keeps its 8 x 4 pixels in registers (pyramid.cuh); filters need the pixels around,
// so that a block takes a piece through shared memory.

const i32 LOAD_WIDTH = 128, LOAD_HEIGHT = 16; // pixels of a piece; whole units of the pyramid
const i32 HALO_X = 4, HALO_Y = 2;             // two binomial passes need two pixels; columns come in groups of four
const u32 LOAD_PITCH = LOAD_WIDTH + 2 * HALO_X;
const u32 LOAD_ROWS = LOAD_HEIGHT + 2 * HALO_Y;
typedef Array<u8, LOAD_ROWS * LOAD_PITCH> LoadWindow;

struct LoadShared {
    alignas(16) LoadWindow gray;
    alignas(16) LoadWindow filtered;
};

// Where pixel (x, y) of the piece lies in its window.
__device__ u32 in_window(i32 x, i32 y) { return u32(y + HALO_Y) * LOAD_PITCH + u32(x + HALO_X); }

// Beyond the border the image is mirrored about its edge pixel.
__device__ i32 mirrored(i32 i, i32 count) { return i < 0 ? -i : i >= count ? 2 * count - 2 - i : i; }

// Fills the window of the piece at (left, top) with grey, mirrored beyond the image as far as the passes need it.
__device__ void load_window(const DetectArgs& args, i32 left, i32 top, LoadWindow& window) {
    const i32 width = args.width, height = args.height, halo = args.binomial_passes;
    const i32 groups = LOAD_PITCH / 4;
    for (i32 i = threadIdx.x; i < groups * i32(LOAD_ROWS); i += BLOCK) {
        const i32 y = i / groups - HALO_Y, x = i % groups * 4 - HALO_X;
        const bool needed = y >= -halo && y < LOAD_HEIGHT + halo && top + y < height + halo &&
                            left + x >= 0 && left + x < width;
        if (!needed) continue;
        u32 gray[1][1];
        read_gray(args, left + x, mirrored(top + y, height), gray);
        word_of(window, in_window(x, y)) = gray[0][0];
    }
    __syncthreads();
    // Two columns beyond each side of the image.
    for (i32 i = threadIdx.x; i < 4 * i32(LOAD_ROWS); i += BLOCK) {
        const i32 y = i / 4 - HALO_Y, beyond = i % 4;
        const i32 column = (beyond < 2 ? beyond - 2 : width + beyond - 2);
        const i32 x = column - left, from = mirrored(column, width) - left;
        if (x >= -HALO_X && x < LOAD_WIDTH + HALO_X && y >= -halo && y < LOAD_HEIGHT + halo && top + y < height + halo)
            window[in_window(x, y)] = window[in_window(from, y)];
    }
    __syncthreads();
}

// One 3x3 binomial pass over the piece and `halo` pixels around it.
__device__ void binomial(LoadWindow& from, LoadWindow& to, i32 halo) {
    const i32 columns = LOAD_WIDTH + 2 * halo, rows = LOAD_HEIGHT + 2 * halo;
    for (i32 i = threadIdx.x; i < columns * rows; i += BLOCK) {
        const u32 at = in_window(i % columns - halo, i / columns - halo);
        u32 sum = 0;
        #pragma unroll
        for (i32 dy = -1; dy <= 1; ++dy) {
            const u32 row = at + dy * i32(LOAD_PITCH);
            sum += (dy == 0 ? 2u : 1u) * (from[row - 1] + 2u * from[row] + from[row + 1]);
        }
        to[at] = u8((sum + 8) >> 4);
    }
    __syncthreads();
}

// Filters the pieces of this block, and writes all levels.
__device__ void load_filtered(const DetectArgs& args, LoadShared& shared) {
    const u32 across = rounded_up(args.width, LOAD_WIDTH), pieces = across * rounded_up(args.height, LOAD_HEIGHT);
    for (u32 piece = blockIdx.x; piece < pieces; piece += gridDim.x) {
        const i32 left = piece % across * LOAD_WIDTH, top = piece / across * LOAD_HEIGHT;
        load_window(args, left, top, shared.gray);
        binomial(shared.gray, shared.filtered, args.binomial_passes == 2 ? 1 : 0);
        if (args.binomial_passes == 2) binomial(shared.filtered, shared.gray, 0);
        LoadWindow& gray = args.binomial_passes == 2 ? shared.gray : shared.filtered;
        const i32 units = LOAD_WIDTH / UNIT_WIDTH;
        for (i32 i = threadIdx.x; i < units * (LOAD_HEIGHT / UNIT_HEIGHT); i += BLOCK) {
            const i32 x = i % units * UNIT_WIDTH, y = i / units * UNIT_HEIGHT;
            if (left + x >= i32(args.width)) continue;
            Unit unit;
            #pragma unroll
            for (i32 row = 0; row < UNIT_HEIGHT; ++row) {
                unit.rows[row][0] = word_of(gray, in_window(x, y + row));
                unit.rows[row][1] = word_of(gray, in_window(x + 4, y + row));
            }
            write_unit(args, unit, left + x, top + y);
        }
        __syncthreads();
    }
}

// Reads the source and writes all levels of the pyramid.
__device__ void load_pyramid(const DetectArgs& args, LoadShared& shared) {
    if (args.binomial_passes == 0) load_plain(args);
    else load_filtered(args, shared);
}
