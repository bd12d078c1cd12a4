// C11: the normal equations of a level, in f64. Every sum that enters is an integer below 2^53, so exact.

// Sum of a b; about the means, n times that of (a - mean a) (b - mean b).
__device__ i64 product(bool about_means, u32 n, i64 ab, i32 a, i32 b) {
    return about_means ? i64(n) * ab - i64(a) * b : ab;
}

// What a template brings to every step.
struct System {
    f64 xx, xy, yy, xi, yi, ii;
    f64 inverse;        // of the determinant; 0 unless that is positive
    f32 min_eigenvalue; // of the whole template
    Area area;          // summed over
    Rows rows;          // of the area
    i32 i, x, y;        // sums over the template
    i64 sum_ii, sum_xi, sum_yi, sum_xx, sum_xy, sum_yy;
};

// What a window J says.
struct Step {
    f32 x, y;    // where to go from here, px of the level
    f64 factor;  // what J is multiplied by
};

// Sums with a window J of the other image, in the order in which they are kept.
enum PairSum : u32 { SUM_XJ = 0, SUM_YJ = 1, SUM_IJ = 2, SUM_JJ = 3 };
const u32 QUAD_OF_J = 1; // in which the sum of J alone is kept

// Number of pixels; squared where products are those about the means.
__device__ f64 weight(bool free_light, u32 n) {
    const f64 pixels = f64(most(n, 1u));
    return free_light ? pixels * pixels : pixels;
}

__device__ f32 smaller_eigenvalue(const System& s, f64 weight) {
    const f64 difference = s.xx - s.yy;
    const f64 root = sqrt(difference * difference + 4.0 * (s.xy * s.xy));
    return f32(((s.xx + s.yy) - root) / (2.0 * weight * 1048576.0));
}

// Makes the rest of the sums; one lane calls it.
__device__ void set_up(System& s, bool free_light, u32 n) {
    s.xx = f64(product(free_light, n, s.sum_xx, s.x, s.x));
    s.xy = f64(product(free_light, n, s.sum_xy, s.x, s.y));
    s.yy = f64(product(free_light, n, s.sum_yy, s.y, s.y));
    s.xi = f64(product(free_light, n, s.sum_xi, s.x, s.i));
    s.yi = f64(product(free_light, n, s.sum_yi, s.y, s.i));
    s.ii = f64(product(free_light, n, s.sum_ii, s.i, s.i));
    const f64 determinant = s.xx * s.yy - s.xy * s.xy;
    s.inverse = determinant > 0.0 ? 1.0 / determinant : 0.0;
}

// Contrast of I over that of J, from their squares.
__device__ f32 contrast_ratio(f32 ii, f32 jj) {
    const f32 ratio = 0.0f < jj ? sqrtf(ii / jj) : 8.0f;
    const f32 raised = ratio < 0.125f ? 0.125f : ratio;
    return 8.0f < raised ? 8.0f : raised;
}

// The product of number `i` of PairSum.
__device__ f64 pair_product(const System& s, bool free_light, u32 n, u32 i, Partial& partial) {
    const i64 sum = block_total(0, i, partial);
    if (!free_light) return f64(sum);
    const i32 j = i32(block_total(QUAD_OF_J, 0, partial));
    return f64(product(true, n, sum, i == SUM_XJ ? s.x : i == SUM_YJ ? s.y : i == SUM_IJ ? s.i : j, j));
}

// The step that the sums with J ask for. A warp calls it, and shares the work: a lane a product, a lane a coordinate.
__device__ Step step_of(const System& s, bool free_light, u32 n, Partial& partial) {
    const u32 lane = threadIdx.x % WARP;
    const f64 own = pair_product(s, free_light, n, lane % QUAD, partial);
    Step step;
    step.factor = 1.0;
    if (free_light) step.factor = f64(contrast_ratio(f32(s.ii), f32(__shfl_sync(ALL_LANES, own, SUM_JJ))));
    // Lane 0 has x and y, lane 1 y and x.
    const f64 mine = own * step.factor - (lane % 2 == 0 ? s.xi : s.yi), other = __shfl_xor_sync(ALL_LANES, mine, 1);
    const f32 part = f32((s.xy * other - (lane % 2 == 0 ? s.yy : s.xx) * mine) * s.inverse);
    step.x = part;
    step.y = __shfl_xor_sync(ALL_LANES, part, 1);
    return step;
}

// Root mean square of factor * J - I before a step, grey levels.
__device__ f32 residual_of(const System& s, bool free_light, u32 n, f64 factor, Partial& partial) {
    const f64 ij = pair_product(s, free_light, n, SUM_IJ, partial);
    const f64 jj = pair_product(s, free_light, n, SUM_JJ, partial);
    const f64 squares = (factor * factor * jj - 2.0 * factor * ij) + s.ii;
    return f32(sqrt((squares < 0.0 ? 0.0 : squares) / (weight(free_light, n) * 1024.0)));
}
