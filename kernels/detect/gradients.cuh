// C10, its gradients, and their sums down the columns of the square. A lane has two neighbouring columns, one in each
// half of a word, and of these the upper or the lower eight rows, from the edge of the square to its middle: so the
// shares are the same constants for all lanes. In the lower half down is up then, and octants come mirrored.

const i32 PATCH = 16;            // side of the described square, pixels of the feature's level
const i32 REACH = PATCH / 2 + 1; // from the corner to the farthest pixel that counts
const i32 ROWS = PATCH / 2 + 2;  // that a lane reads: its own, and one at each side
const u32 OCTANTS = 8;

// The rows that a lane needs, from (x, y) on down or up: four pixels a word, its columns and one at each side.
// INSIDE: the words that hold them lie in the level, so that no edge need be repeated.
template <bool INSIDE>
__device__ void load_rows(const u8* pixels, const Level& level, i32 x, i32 y, i32 step, u32 (&rows)[ROWS]) {
    if (INSIDE) {
        const i32 pitch = level.pitch, stride = step < 0 ? -pitch : pitch;
        pixels += y * pitch + (x & ~3);
        #pragma unroll
        for (i32 k = 0; k < ROWS; ++k, pixels += stride) {
            const u32* const words = reinterpret_cast<const u32*>(pixels);
            rows[k] = __funnelshift_r(words[0], words[1], u32(x) * 8);
        }
    } else {
        #pragma unroll
        for (i32 k = 0; k < ROWS; ++k) {
            const u8* const row = pixels + u32(least(most(y + k * step, 0), level.height - 1)) * level.pitch;
            rows[k] = 0;
            #pragma unroll
            for (i32 i = 0; i < 4; ++i) rows[k] |= u32(row[least(most(x + i, 0), level.width - 1)]) << (8 * i);
        }
    }
}

// Difference of smoothed pixels from their sums of weight 4. What a shift lets fall from one half into the other lies
// above the byte there.
__device__ u32 difference(u32 a, u32 b) { return __vabsdiffu4(a >> 2, b >> 2) & LOW_BYTES; }

// A gradient in its parts along the octants, from sums of weight 4. Where two of these differ only in what is rounded
// away, the difference is 0 and its sign does not matter.
__device__ void directions(u32 right, u32 left, u32 below, u32 above, u32 (&parts)[OCTANTS]) {
    const u32 across = difference(right, left), along = difference(below, above);
    const u32 rightward = at_least(right, left), downward = at_least(below, above);
    const u32 flat = at_least(across, along);
    const u32 axis = __vabsdiffu4(across, along), diagonal = across + along - axis; // high - low, 2 low
    parts[0] = axis & flat & rightward;
    parts[1] = diagonal & rightward & downward;
    parts[2] = axis & ~flat & downward;
    parts[3] = diagonal & ~rightward & downward;
    parts[4] = axis & flat & ~rightward;
    parts[5] = diagonal & ~rightward & ~downward;
    parts[6] = axis & ~flat & ~downward;
    parts[7] = diagonal & rightward & ~downward;
}

// Sums of a lane's rows into three rows of cells: the one at the edge of the square, the one beside it, and the one
// beyond the middle. At most 24 * 510 in each half.
struct ColumnSums {
    u32 edge[OCTANTS], middle[OCTANTS], beyond[OCTANTS];

    // Adds rows k and k + 1. The shares are
    //     edge 5 7 7 5 3 1 0 0    middle 0 0 1 3 5 7 7 5    beyond 0 0 0 0 0 0 1 3
    // and those of a row add up to 8 (with the cells that are dropped): 7 5 is 8 times the sum less 1 3.
    __device__ void add_rows(i32 k, const u32 (&first)[OCTANTS], const u32 (&second)[OCTANTS]) {
        #pragma unroll
        for (u32 o = 0; o < OCTANTS; ++o) {
            const u32 sum = first[o] + second[o];
            const u32 falling = sum + first[o] + first[o], rising = sum + second[o] + second[o]; // 3 1, 1 3
            if (k == 0) edge[o] = 8 * sum - falling;
            if (k == 2) edge[o] += 8 * sum, middle[o] = rising;
            if (k == 4) {
                const u32 moved = falling - middle[o]; // less what rows 2 and 3 have for the middle
                edge[o] += moved;
                middle[o] = 8 * sum - moved;
            }
            if (k == 6) beyond[o] = rising, middle[o] += 8 * sum - rising;
        }
    }
};

// A row: the pixels left and right of the two columns, and theirs smoothed along the row, of weight 4.
struct Row {
    u32 left, right, across;
};
__device__ Row row_of(u32 four) {
    const u32 left = __byte_perm(four, 0, 0x4140), right = __byte_perm(four, 0, 0x4342);
    const u32 here = __byte_perm(four, 0, 0x4241);
    return {left, right, add(add(left, right, 2 * ONES), here, here)};
}

// Pixels smoothed down a column are the sum of two sums of two, each with half of what makes rounding one to nearest.
__device__ void sum_columns(const u32 (&rows)[ROWS], ColumnSums& sums) {
    Row before = row_of(rows[0]), here = row_of(rows[1]);
    u32 left = add(before.left, here.left, ONES), right = add(before.right, here.right, ONES);
    u32 parts[2][OCTANTS];
    #pragma unroll
    for (i32 k = 0; k < PATCH / 2; ++k) {
        const Row after = row_of(rows[k + 2]);
        const u32 next_left = add(here.left, after.left, ONES), next_right = add(here.right, after.right, ONES);
        directions(right + next_right, left + next_left, after.across, before.across, parts[k % 2]);
        if (k % 2 != 0) sums.add_rows(k - 1, parts[0], parts[1]);
        before = here;
        here = after;
        left = next_left;
        right = next_right;
    }
}
