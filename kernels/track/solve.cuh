// C11: the normal equations of a level, in f64. Every sum that enters is an integer below 2^53, so exact.

// Sum of a b; about the means, n times that of (a - mean a) (b - mean b).
__device__ i64 product(bool about_means, u32 n, i64 ab, i32 a, i32 b) {
    return about_means ? i64(n) * ab - i64(a) * b : ab;
}

// Sums with a window J of the other image.
struct PairSums {
    i32 j;
    i64 jj, ij, xj, yj;
};

// What a template brings to every step.
struct System {
    f64 xx, xy, yy, xi, yi, ii;
    f64 inverse;        // of the determinant; 0 unless that is positive
    f32 min_eigenvalue; // of the whole template
    Area area;          // summed over
    i32 i, x, y;        // sums over the template
    i64 sum_ii, sum_xi, sum_yi, sum_xx, sum_xy, sum_yy;
};

// What a window J says.
struct Step {
    f32 x, y;           // where to go from here, px of the level
    f64 factor, ij, jj; // what J is multiplied by, and its products
};

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

__device__ Step step_of(const System& s, const PairSums& pair, bool free_light, u32 n) {
    Step step;
    step.ij = f64(product(free_light, n, pair.ij, s.i, pair.j));
    step.jj = f64(product(free_light, n, pair.jj, pair.j, pair.j));
    const f64 xj = f64(product(free_light, n, pair.xj, s.x, pair.j));
    const f64 yj = f64(product(free_light, n, pair.yj, s.y, pair.j));
    step.factor = free_light ? f64(contrast_ratio(f32(s.ii), f32(step.jj))) : 1.0;
    const f64 x = xj * step.factor - s.xi, y = yj * step.factor - s.yi;
    step.x = f32((s.xy * y - s.yy * x) * s.inverse);
    step.y = f32((s.xy * x - s.xx * y) * s.inverse);
    return step;
}

// Root mean square of factor * J - I before a step, grey levels.
__device__ f32 residual_of(const System& s, const Step& step, f64 weight) {
    const f64 squares = (step.factor * step.factor * step.jj - 2.0 * step.factor * step.ij) + s.ii;
    return f32(sqrt((squares < 0.0 ? 0.0 : squares) / (weight * 1024.0)));
}
