// C10: shares as square roots. Values come as the bits of the float 2^23 + value: subtracting 2^23 makes floats of
// them, at four times the rate of a conversion on sm_62.

const f32 EXACT_F32 = 8388608.0f; // 2^23: floats from here on are integers
const u32 EXACT = 0x4B000000u;    // its bits
const f32 SHARE_SCALE = 32223.5f; // 65025 * 0.495555, see near_root

// Square root of x / 0.495555, right to 7e-4 (tests/emulated/roots.rs). The bits of a float are nearly its logarithm:
// half of them, taken from a constant, are the inverse root to some percent; one step of Newton's follows. Constants of
// J. Kadlec (2010), their common factor left to x. IEEE square roots take branches, and more instructions.
__device__ f32 near_root(f32 x) {
    const f32 inverse = __uint_as_float(0x5F1FFFF9u - (__float_as_uint(x) >> 1));
    const f32 root = x * inverse;
    return root * (2.38924456f - root * inverse);
}

// a * b + c. Compilers would add a constant last, and not in passing.
__device__ u32 multiply_add(u32 a, u32 b, u32 c) {
#ifdef VIO_EMULATED
    return a * b + c;
#else
    u32 result;
    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
#endif
}

// Byte `at` of each of four words.
__device__ u32 four_bytes(const u32 (&words)[4], u32 at) {
    const u32 two = at | (4 + at) << 4;
    return __byte_perm(__byte_perm(words[0], words[1], two), __byte_perm(words[2], words[3], two), 0x5410);
}

// Greatest q with q * q * sum <= 65025 * value, of four values, in bytes; scale is SHARE_SCALE / sum.
// The integer nearest to the estimate is q or q + 1, and the difference of the two sides tells which. 32 bits hold it:
// |gx| + |gy| is at most 384, as the two share corners, sum so at most 120 * 120 * 384, and the difference less than
// 348 times that. 65025 * EXACT is EXACT again, modulo 2^32.
__device__ u32 root_shares(const u32 (&values)[4], u32 sum, f32 scale) {
    u32 roots[4], left[4];
    #pragma unroll
    for (u32 i = 0; i < 4; ++i) {
        roots[i] = __float_as_uint(near_root((__uint_as_float(values[i]) - EXACT_F32) * scale) + EXACT_F32);
        left[i] = multiply_add(low_square(roots[i]), 0u - sum, multiply_add(values[i], 65025u, 0u - EXACT));
    }
    const u32 bytes = four_bytes(roots, 0), signs = four_bytes(left, 3);
    return bytes - (signs >> 7 & 0x01010101u);
}
