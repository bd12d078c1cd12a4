// Grey and C0: each source pixel is read once, in groups of four; level 0 and the levels above it are written.

const i32 LOAD_WIDTH = 128, LOAD_HEIGHT = 16; // pixels of a piece; multiples of 4, so that levels 1 and 2 are complete
const i32 HALO_X = 4, HALO_Y = 2;             // two binomial passes need two pixels; columns come in groups of four
const u32 LOAD_PITCH = LOAD_WIDTH + 2 * HALO_X;
const u32 LOAD_ROWS = LOAD_HEIGHT + 2 * HALO_Y;
const u32 HALF_WIDTH = LOAD_WIDTH / 2, HALF_HEIGHT = LOAD_HEIGHT / 2;

struct LoadShared {
    Array<u8, LOAD_ROWS * LOAD_PITCH> gray, filtered;
    Array<u8, HALF_WIDTH * HALF_HEIGHT> half;
};

// Where pixel (x, y) of the piece lies in its window.
__device__ u32 in_window(i32 x, i32 y) { return u32(y + HALO_Y) * LOAD_PITCH + u32(x + HALO_X); }

// Beyond the border the image is mirrored about its edge pixel.
__device__ i32 mirrored(i32 i, i32 count) { return i < 0 ? -i : i >= count ? 2 * count - 2 - i : i; }

// Byte `i` of consecutive words.
template <u32 N>
__device__ u32 byte_of(const u32 (&words)[N], u32 i) { return (words[i / 4] >> (8 * (i % 4))) & 255u; }

// Grey of four pixels of BYTES bytes each: byte `first` alone, or the luma of three from there on.
template <u32 BYTES, bool COLOUR, bool BLUE_FIRST, u32 FIRST>
__device__ void load_four(const u8* pixels, u32 (&gray)[4]) {
    u32 words[BYTES];
    #pragma unroll
    for (u32 i = 0; i < BYTES; ++i) words[i] = reinterpret_cast<const u32*>(pixels)[i];
    #pragma unroll
    for (u32 i = 0; i < 4; ++i) {
        const u32 at = i * BYTES + FIRST;
        gray[i] = byte_of(words, at);
        if (COLOUR) {
            const u32 last = byte_of(words, at + 2);
            const u32 red = BLUE_FIRST ? last : gray[i], blue = BLUE_FIRST ? gray[i] : last;
            gray[i] = (4899u * red + 9617u * byte_of(words, at + 1) + 1868u * blue + (1u << 13)) >> 14;
        }
    }
}

// Grey of the four pixels from x on; x is a multiple of four.
__device__ void load_gray(const DetectArgs& args, i32 x, i32 y, u32 (&gray)[4]) {
    const u8* row = args.source + u64(y) * args.source_pitch;
    switch (args.source_format) {
        case SOURCE_FIRST_OF_2: load_four<2, false, false, 0>(row + 2 * x, gray); break;
        case SOURCE_SECOND_OF_2: load_four<2, false, false, 1>(row + 2 * x, gray); break;
        case SOURCE_RGB: load_four<3, true, false, 0>(row + 3 * x, gray); break;
        case SOURCE_BGR: load_four<3, true, true, 0>(row + 3 * x, gray); break;
        case SOURCE_RGBA: load_four<4, true, false, 0>(row + 4 * x, gray); break;
        case SOURCE_BGRA: load_four<4, true, true, 0>(row + 4 * x, gray); break;
        default: load_four<1, false, false, 0>(row + x, gray); break;
    }
}

// Fills the window of the piece at (left, top) with grey, mirrored beyond the image as far as the passes need it.
__device__ void load_window(const DetectArgs& args, i32 left, i32 top, Array<u8, LOAD_ROWS * LOAD_PITCH>& window) {
    const i32 width = args.width, height = args.height, halo = args.binomial_passes;
    const i32 groups = LOAD_PITCH / 4;
    for (i32 i = threadIdx.x; i < groups * i32(LOAD_ROWS); i += BLOCK) {
        const i32 y = i / groups - HALO_Y, x = i % groups * 4 - HALO_X;
        const bool needed = y >= -halo && y < LOAD_HEIGHT + halo && top + y < height + halo &&
                            left + x >= 0 && left + x < width;
        if (!needed || (halo == 0 && (x < 0 || x >= LOAD_WIDTH))) continue;
        u32 gray[4];
        load_gray(args, left + x, mirrored(top + y, height), gray);
        #pragma unroll
        for (i32 k = 0; k < 4; ++k) window[in_window(x + k, y)] = u8(gray[k]);
    }
    __syncthreads();
    if (halo == 0) return;
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
__device__ void binomial(Array<u8, LOAD_ROWS * LOAD_PITCH>& from, Array<u8, LOAD_ROWS * LOAD_PITCH>& to, i32 halo) {
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

// Mean of 2 x 2 pixels.
template <u32 N>
__device__ u8 mean_of_four(Array<u8, N>& pixels, u32 at, u32 pitch) {
    return u8((u32(pixels[at]) + pixels[at + 1] + pixels[at + pitch] + pixels[at + pitch + 1] + 2) >> 2);
}

// Reads the source and writes all levels of the pyramid.
__device__ void load_pyramid(const DetectArgs& args, LoadShared& shared) {
    const Level level0 = level_at(args, 0), level1 = level_at(args, 1), level2 = level_at(args, 2);
    const u32 across = rounded_up(args.width, LOAD_WIDTH), pieces = across * rounded_up(args.height, LOAD_HEIGHT);
    for (u32 piece = blockIdx.x; piece < pieces; piece += gridDim.x) {
        const i32 left = piece % across * LOAD_WIDTH, top = piece / across * LOAD_HEIGHT;
        load_window(args, left, top, shared.gray);
        if (args.binomial_passes == 2) {
            binomial(shared.gray, shared.filtered, 1);
            binomial(shared.filtered, shared.gray, 0);
        } else if (args.binomial_passes == 1) {
            binomial(shared.gray, shared.filtered, 0);
        }
        Array<u8, LOAD_ROWS * LOAD_PITCH>& gray = args.binomial_passes == 1 ? shared.filtered : shared.gray;
        for (i32 i = threadIdx.x; i < LOAD_WIDTH / 4 * LOAD_HEIGHT; i += BLOCK) {
            const i32 x = i % (LOAD_WIDTH / 4) * 4, y = i / (LOAD_WIDTH / 4);
            if (left + x >= level0.width || top + y >= level0.height) continue;
            const u32 at = in_window(x, y);
            const u32 four = gray[at] | gray[at + 1] << 8 | gray[at + 2] << 16 | u32(gray[at + 3]) << 24;
            *reinterpret_cast<u32*>(args.pyramid + u32(top + y) * level0.pitch + u32(left + x)) = four;
        }
        if (args.levels > 1) {
            for (u32 i = threadIdx.x; i < HALF_WIDTH * HALF_HEIGHT; i += BLOCK) {
                const u32 x = i % HALF_WIDTH, y = i / HALF_WIDTH;
                const u8 mean = mean_of_four(gray, in_window(2 * x, 2 * y), LOAD_PITCH);
                shared.half[i] = mean;
                const i32 column = left / 2 + x, row = top / 2 + y;
                if (column < level1.width && row < level1.height)
                    args.pyramid[level1.offset + row * level1.pitch + column] = mean;
            }
        }
        __syncthreads();
        if (args.levels > 2 && threadIdx.x < HALF_WIDTH * HALF_HEIGHT / 4) {
            const u32 x = threadIdx.x % (HALF_WIDTH / 2), y = threadIdx.x / (HALF_WIDTH / 2);
            const i32 column = left / 4 + x, row = top / 4 + y;
            if (column < level2.width && row < level2.height)
                args.pyramid[level2.offset + row * level2.pitch + column] =
                    mean_of_four(shared.half, 2 * y * HALF_WIDTH + 2 * x, HALF_WIDTH);
        }
        __syncthreads();
    }
}
