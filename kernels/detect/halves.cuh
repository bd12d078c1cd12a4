// Two numbers in a word, sixteen bits each: where no half carries into the other, an instruction serves both. Some of
// it is PTX, since compilers see the word as one number and then need up to three times as many instructions.

const u32 ONES = 0x00010001u;      // 1 in both halves
const u32 LOW_BYTES = 0x00FF00FFu; // of both halves

// a + b + c, which sm_62 does at once. Compilers would add constants after all other terms, by themselves.
__device__ u32 add(u32 a, u32 b, u32 c) {
#ifdef VIO_EMULATED
    return a + b + c;
#else
    u32 sum;
    asm("{ .reg .u32 two; add.u32 two, %1, %2; add.u32 %0, two, %3; }" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
#endif
}

// All ones in each half where that of `a` is at least that of `b`; both are below 2^15. The bit that is set above them
// keeps halves from borrowing of each other, and is gone where b is greater. prmt with bit 3 of a selector copies the
// highest bit of a byte eight times.
__device__ u32 at_least(u32 a, u32 b) {
#ifdef VIO_EMULATED
    return ((a + (ONES << 15) - b) >> 15 & ONES) * 0xFFFFu;
#else
    u32 mask;
    asm("{ .reg .u32 more; add.u32 more, %1, 0x80008000; sub.u32 more, more, %2; prmt.b32 %0, more, 0, 0xBB99; }"
        : "=r"(mask) : "r"(a), "r"(b));
    return mask;
#endif
}

// sum + the lower half * low + the higher half * high; the factors are below 2^8. sm_62 multiplies halves in place,
// later ones know sums of products.
__device__ u32 add_products(u32 halves, u32 low, u32 high, u32 sum) {
#ifdef VIO_EMULATED
    return sum + (halves & 0xFFFFu) * low + (halves >> 16) * high;
#elif __CUDA_ARCH__ >= 700
    u32 result;
    asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(halves), "r"(low | high << 8), "r"(sum));
    return result;
#else
    u32 result;
    asm("{ .reg .u16 l, h; mov.b32 {l, h}, %1; mad.wide.u16 %0, h, %3, %4; mad.wide.u16 %0, l, %2, %0; }"
        : "=r"(result) : "r"(halves), "h"(u16(low)), "h"(u16(high)), "r"(sum));
    return result;
#endif
}

// Square of the lower half.
__device__ u32 low_square(u32 word) {
#ifdef VIO_EMULATED
    return (word & 0xFFFFu) * (word & 0xFFFFu);
#else
    u32 square;
    asm("{ .reg .u16 l, h; mov.b32 {l, h}, %1; mul.wide.u16 %0, l, l; }" : "=r"(square) : "r"(word));
    return square;
#endif
}
