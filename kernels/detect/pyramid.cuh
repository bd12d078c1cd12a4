// Grey of the source, and C0 for eight by four pixels at a time: in a thread's registers, four bytes a word.

const i32 UNIT_WIDTH = 8, UNIT_HEIGHT = 4; // pixels of level 0: a word a row of level 1, two pixels of level 2

struct Unit {
    u32 rows[UNIT_HEIGHT][2];
};

// Byte `i` of consecutive words.
template <u32 N>
__device__ u32 byte_of(const u32 (&words)[N], u32 i) { return (words[i / 4] >> (8 * (i % 4))) & 255u; }

// Grey of four pixels of BYTES bytes each, in consecutive words: byte `FIRST` alone, or the luma of three from there
// on.
template <u32 BYTES, bool COLOUR, bool BLUE_FIRST, u32 FIRST>
__device__ u32 gray_of_four(const u32 (&words)[BYTES]) {
    u32 four = 0;
    #pragma unroll
    for (u32 i = 0; i < 4; ++i) {
        const u32 at = i * BYTES + FIRST;
        u32 gray = byte_of(words, at);
        if (COLOUR) {
            const u32 last = byte_of(words, at + 2);
            const u32 red = BLUE_FIRST ? last : gray, blue = BLUE_FIRST ? gray : last;
            gray = (4899u * red + 9617u * byte_of(words, at + 1) + 1868u * blue + (1u << 13)) >> 14;
        }
        four |= gray << (8 * i);
    }
    return four;
}

// Grey of ROWS rows from y on of WORDS words of four pixels from x on, a multiple of as many. Rows below the image are
// the last one; words right of it are 0.
template <u32 BYTES, bool COLOUR, bool BLUE_FIRST, u32 FIRST, u32 ROWS, u32 WORDS>
__device__ void read_as(const DetectArgs& args, i32 x, i32 y, u32 (&gray)[ROWS][WORDS]) {
    #pragma unroll
    for (u32 row = 0; row < ROWS; ++row) {
        const i32 inside = least(y + i32(row), i32(args.height) - 1);
        const u8* const pixels = args.source + u64(inside) * args.source_pitch + u32(x) * BYTES;
        #pragma unroll
        for (u32 word = 0; word < WORDS; ++word) {
            u32 words[BYTES] = {};
            #pragma unroll
            for (u32 i = 0; i < BYTES; ++i)
                if (x + 4 * i32(word) < i32(args.width))
                    words[i] = reinterpret_cast<const u32*>(pixels)[word * BYTES + i];
            gray[row][word] = gray_of_four<BYTES, COLOUR, BLUE_FIRST, FIRST>(words);
        }
    }
}

template <u32 ROWS, u32 WORDS>
__device__ void read_gray(const DetectArgs& args, i32 x, i32 y, u32 (&gray)[ROWS][WORDS]) {
    switch (args.source_format) {
        case SOURCE_FIRST_OF_2: read_as<2, false, false, 0>(args, x, y, gray); break;
        case SOURCE_SECOND_OF_2: read_as<2, false, false, 1>(args, x, y, gray); break;
        case SOURCE_RGB: read_as<3, true, false, 0>(args, x, y, gray); break;
        case SOURCE_BGR: read_as<3, true, true, 0>(args, x, y, gray); break;
        case SOURCE_RGBA: read_as<4, true, false, 0>(args, x, y, gray); break;
        case SOURCE_BGRA: read_as<4, true, true, 0>(args, x, y, gray); break;
        default: read_as<1, false, false, 0>(args, x, y, gray); break;
    }
}

// Every second byte of a word, from the first on.
__device__ u32 even_bytes(u32 word) { return word & 0x00FF00FFu; }

// Means of 2 x 2 pixels of two rows of four, in the even bytes.
__device__ u32 means_of_four(u32 upper, u32 lower) {
    const u32 sums = even_bytes(upper) + even_bytes(upper >> 8) + even_bytes(lower) + even_bytes(lower >> 8);
    return even_bytes((sums + 0x00020002u) >> 2);
}

// Even bytes of two words, as four neighbours.
__device__ u32 joined(u32 first, u32 second) { return __byte_perm(first, second, 0x6420); }

// Writes the pixels at (x, y) of level 0 and what becomes of them on the other levels. What is beyond the right border
// goes into the padding of its row.
__device__ void write_unit(const DetectArgs& args, const Unit& unit, i32 x, i32 y) {
    const Level& level0 = args.level0;
    #pragma unroll
    for (i32 row = 0; row < UNIT_HEIGHT; ++row) {
        if (y + row >= level0.height) break;
        u32* const out = reinterpret_cast<u32*>(args.pyramid + u32(y + row) * level0.pitch + u32(x));
        out[0] = unit.rows[row][0];
        out[1] = unit.rows[row][1];
    }
    if (args.levels < 2) return;
    const Level& level1 = args.level1;
    u32 halves[2];
    #pragma unroll
    for (i32 row = 0; row < 2; ++row) {
        const u32 (&upper)[2] = unit.rows[2 * row], (&lower)[2] = unit.rows[2 * row + 1];
        halves[row] = joined(means_of_four(upper[0], lower[0]), means_of_four(upper[1], lower[1]));
        if (x / 2 < level1.width && y / 2 + row < level1.height)
            *reinterpret_cast<u32*>(args.pyramid + level1.offset + u32(y / 2 + row) * level1.pitch + u32(x / 2)) =
                halves[row];
    }
    if (args.levels < 3) return;
    const Level& level2 = args.level2;
    if (x / 4 < level2.width && y / 4 < level2.height)
        *reinterpret_cast<u16*>(args.pyramid + level2.offset + u32(y / 4) * level2.pitch + u32(x / 4)) =
            u16(joined(means_of_four(halves[0], halves[1]), 0));
}

// All levels of a source that goes through no filter.
__device__ void load_plain(const DetectArgs& args) {
    const u32 across = rounded_up(args.width, UNIT_WIDTH), units = across * rounded_up(args.height, UNIT_HEIGHT);
    for (u32 i = grid_thread(); i < units; i += grid_threads()) {
        const i32 x = i % across * UNIT_WIDTH, y = i / across * UNIT_HEIGHT;
        Unit unit;
        read_gray(args, x, y, unit.rows);
        write_unit(args, unit, x, y);
    }
}
