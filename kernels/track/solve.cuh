// C11: the normal equations of a level, in f64, from integers.

// Sum of a b; about the means, n times that of (a - mean a) (b - mean b).
__device__ i64 product(bool about_means, u32 n, i64 ab, i64 a, i64 b) { return about_means ? i64(n) * ab - a * b : ab; }

// Sums that are kept of a window F between the pixels: over the four pixels about each of its places, in the order of the
// weights, of the gradients with them, and with free light of them, and of pairs of them.
enum Moment : u32 { MOMENTS_X = 0, MOMENTS_Y = 4, MOMENTS_LIGHT = 8, OWN_LIGHT = 22 };
const u32 MOMENTS = 8; // that are summed at once
const u32 LIGHT_PAIRS = 4; // the first sum over a pair, from those of light on
const u32 PIXEL_PAIRS = 10;

// Sums of 64 bits: over two values a pixel, x and y of a template or I and J, rounded; and of a template's own moments.
enum WideSum : u32 { OWN_X = 0, OWN_Y = 4, SUM_A = 8, SUM_B = 9, SUM_AA = 10, SUM_AB = 11, SUM_BB = 12 };

// From 2^-14 grey level to the 1/32 of the gradients.
const f64 WINDOW_SCALE = 1.0 / 512.0;

const f32 LEAST_SLOPE = 0.125f; // least part of the template's determinant for Newton's step

// What a template brings to every step.
struct System {
    f64 xx, xy, yy;
    f64 xi, yi, ii;     // with its own window
    f64 inverse;        // of the determinant; 0 unless that is positive
    f32 least_determinant; // for Newton's step
    f32 min_eigenvalue; // of the whole template
    Area area;          // summed over
    u32 n;              // pixels of it
    i32 x, y;           // sums over the gradients
};

// Sums and products of two values.
struct Products {
    i32 a, b;
    f64 aa, ab, bb;
};

// From the sums of 64 bits, of which each lane of a warp has one.
__device__ Products products_of(bool free_light, u32 n, i64 total) {
    const i32 a = __shfl_sync(ALL_LANES, i32(total), SUM_A), b = __shfl_sync(ALL_LANES, i32(total), SUM_B);
    const i64 aa = i64(__shfl_sync(ALL_LANES, u64(total), SUM_AA));
    const i64 ab = i64(__shfl_sync(ALL_LANES, u64(total), SUM_AB));
    const i64 bb = i64(__shfl_sync(ALL_LANES, u64(total), SUM_BB));
    return Products{a, b, f64(product(free_light, n, aa, a, a)), f64(product(free_light, n, ab, a, b)),
                    f64(product(free_light, n, bb, b, b))};
}

// Number of pixels; squared where products are those about the means.
__device__ f64 weight(bool free_light, u32 n) {
    const f64 pixels = f64(most(n, 1u));
    return free_light ? pixels * pixels : pixels;
}

__device__ f32 smaller_eigenvalue(const Products& p, f64 weight) {
    const f64 difference = p.aa - p.bb;
    const f64 root = sqrt(difference * difference + 4.0 * (p.ab * p.ab));
    return f32(((p.aa + p.bb) - root) / (2.0 * weight * 1048576.0));
}

// The window's sum with a gradient, or over itself, at a place within its pixel, from the sums with the four pixels.
__device__ i64 weighted(const i32 (&weights)[4], const i32 (&sums)[4]) {
    i64 sum = 0;
    #pragma unroll
    for (u32 i = 0; i < 4; ++i) sum += i64(weights[i]) * sums[i];
    return sum;
}

__device__ void load_moments(u32 first, Partial& partial, i32 (&sums)[4]) {
    #pragma unroll
    for (u32 i = 0; i < 4; ++i) sums[i] = block_total(first + i, partial);
}

// Sum over a window, and n times its variance, which fits 64 bits without a sign.
struct Light {
    i64 f;
    f64 ff;
};

// The i-th weight, by selection: an index would take memory.
__device__ i32 weight_of(const Point& point, u32 i) {
    return i < 2 ? (i == 0 ? point.weights[0] : point.weights[1]) : i == 2 ? point.weights[2] : point.weights[3];
}

// From the sums from number `first` on. A warp calls it: a lane a pair of the four pixels.
__device__ Light light_of(u32 n, const Point& point, u32 first, Partial& partial) {
    const u32 lane = anew(threadIdx.x) % WARP;
    const u32 a = lane < 4 ? 0 : lane < 7 ? 1 : lane < 9 ? 2 : 3, b = lane - a * (7 - a) / 2;
    u64 squares = 0, f = 0;
    if (lane < PIXEL_PAIRS)
        squares = u64(i64(weight_of(point, a)) * weight_of(point, b) * (a == b ? 1 : 2) * block_total(first + LIGHT_PAIRS + lane, partial));
    if (lane < 4) f = u64(i64(weight_of(point, lane)) * block_total(first + lane, partial));
    squares = warp_total(squares);
    f = warp_total(f);
    const u64 size = i64(f) < 0 ? 0 - f : f;
    return Light{i64(f), f64(n * squares - size * size)};
}

// The product of a window, whose sum is f, with a gradient whose sum is `axis_sum`.
__device__ f64 window_product(bool free_light, u32 n, i64 sum, i32 axis_sum, i64 f) {
    return f64(product(free_light, n, sum, axis_sum, f)) * WINDOW_SCALE;
}

// The smaller eigenvalue of an area of the template. A warp calls it.
__device__ void set_eigenvalue(System& s, bool free_light, const Area& area, Partial& partial) {
    const u32 n = u32(area.columns * area.rows);
    const f32 smaller = smaller_eigenvalue(products_of(free_light, n, lane_total(partial)), weight(free_light, n));
    if (threadIdx.x % WARP == 0) s.min_eigenvalue = smaller;
}

// Makes what follows from the sums over an area of the template. A warp calls it: the first four lanes have what belongs
// to x, the next four what belongs to y.
__device__ void set_up(System& s, bool free_light, const Area& area, const Point& point, Partial& partial) {
    const u32 n = u32(area.columns * area.rows), lane = anew(threadIdx.x) % WARP;
    const i64 total = lane_total(partial);
    const Products p = products_of(free_light, n, total);
    const f64 determinant = p.aa * p.bb - p.ab * p.ab;
    const Light light = free_light ? light_of(n, point, OWN_LIGHT, partial) : Light{0, 0.0};
    u64 own = u64(i64(weight_of(point, lane % 4)) * i32(total));
    own += __shfl_xor_sync(ALL_LANES, own, 1);
    own += __shfl_xor_sync(ALL_LANES, own, 2);
    const f64 mine = window_product(free_light, n, i64(own), lane < OWN_Y ? p.a : p.b, light.f);
    __syncwarp();
    if (lane == OWN_Y) s.yi = mine;
    if (lane == 0) {
        s.area = area;
        s.n = n;
        s.x = p.a;
        s.y = p.b;
        s.xx = p.aa;
        s.xy = p.ab;
        s.yy = p.bb;
        s.xi = mine;
        s.ii = light.ff;
        s.inverse = determinant > 0.0 ? 1.0 / determinant : 0.0;
        s.least_determinant = LEAST_SLOPE * f32(determinant);
    }
    __syncwarp();
}

// Contrast of I over that of J, from their squares.
__device__ f32 contrast_ratio(f32 ii, f32 jj) {
    const f32 ratio = 0.0f < jj ? sqrtf(ii / jj) : 8.0f;
    const f32 raised = ratio < 0.125f ? 0.125f : ratio;
    return 8.0f < raised ? 8.0f : raised;
}

// What the window at a point is multiplied by; a warp calls it.
__device__ f32 light_factor(const System& s, bool free_light, const Point& point, Partial& partial) {
    return free_light ? contrast_ratio(f32(s.ii), f32(light_of(s.n, point, MOMENTS_LIGHT, partial).ff)) : 1.0f;
}

// Root mean square of factor * J - I, grey levels. A warp calls it.
__device__ f32 residual_of(const System& s, bool free_light, f64 factor, Partial& partial) {
    const Products p = products_of(free_light, s.n, lane_total(partial));
    const f64 squares = (factor * factor * p.bb - 2.0 * factor * p.ab) + p.aa;
    return f32(sqrt((squares < 0.0 ? 0.0 : squares) / (weight(free_light, s.n) * 1024.0)));
}
