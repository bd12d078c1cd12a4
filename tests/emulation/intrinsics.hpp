// Arithmetic intrinsics: integers, IEEE binary32, four bytes or two halves in a word. Also the vector types.
#pragma once

#define EMULATION_MIN_MAX(T)                                                                                           \
    inline T min(T a, T b) { return b < a ? b : a; }                                                                   \
    inline T max(T a, T b) { return a < b ? b : a; }
EMULATION_MIN_MAX(int)
EMULATION_MIN_MAX(unsigned)
EMULATION_MIN_MAX(long)
EMULATION_MIN_MAX(unsigned long)
EMULATION_MIN_MAX(long long)
EMULATION_MIN_MAX(unsigned long long)
#undef EMULATION_MIN_MAX
// IEEE minNum: a NaN loses.
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(unsigned(x)); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
    const std::uint64_t bytes = std::uint64_t(high) << 32 | low;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i) {
        result |= unsigned(bytes >> (selector >> 4 * i & 7) * 8 & 0xff) << 8 * i;
    }
    return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return unsigned((std::uint64_t(high) << 32 | low) << (shift & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return unsigned((std::uint64_t(high) << 32 | low) >> (shift & 31));
}
inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned(std::uint64_t(a) * b >> 32); }
inline int __mulhi(int a, int b) { return int(std::int64_t(a) * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    __extension__ using Wide = unsigned __int128;
    return (unsigned long long)(Wide(a) * b >> 64);
}
inline unsigned __usad(unsigned a, unsigned b, unsigned sum) { return (a < b ? b - a : a - b) + sum; }
inline unsigned __sad(int a, int b, unsigned sum) {
    return (a < b ? unsigned(b) - unsigned(a) : unsigned(a) - unsigned(b)) + sum;
}
template <class T> T __ldg(const T *address) { return *address; }

namespace emulation {
template <class Lane, class F> unsigned lanes(unsigned a, unsigned b, F f) {
    constexpr int bits = 8 * int(sizeof(Lane));
    constexpr unsigned mask = (1u << bits) - 1;
    unsigned result = 0;
    for (int i = 0; i < 32; i += bits) {
        result |= (unsigned(f(int(Lane(a >> i & mask)), int(Lane(b >> i & mask)))) & mask) << i;
    }
    return result;
}
} // namespace emulation

#define EMULATION_LANES(name, Lane, value)                                                                             \
    inline unsigned name(unsigned a, unsigned b) {                                                                     \
        return emulation::lanes<Lane>(a, b, [](int x, int y) { return value; });                                       \
    }
#define EMULATION_VIDEO(n, Unsigned, Signed, top)                                                                      \
    EMULATION_LANES(__vadd##n, Unsigned, x + y)                                                                        \
    EMULATION_LANES(__vsub##n, Unsigned, x - y)                                                                        \
    EMULATION_LANES(__vaddus##n, Unsigned, x + y > top ? top : x + y)                                                  \
    EMULATION_LANES(__vsubus##n, Unsigned, x < y ? 0 : x - y)                                                          \
    EMULATION_LANES(__vabsdiffu##n, Unsigned, x < y ? y - x : x - y)                                                   \
    EMULATION_LANES(__vavgu##n, Unsigned, (x + y + 1) >> 1)                                                            \
    EMULATION_LANES(__vhaddu##n, Unsigned, (x + y) >> 1)                                                               \
    EMULATION_LANES(__vmaxu##n, Unsigned, x < y ? y : x)                                                               \
    EMULATION_LANES(__vminu##n, Unsigned, x < y ? x : y)                                                               \
    EMULATION_LANES(__vmaxs##n, Signed, x < y ? y : x)                                                                 \
    EMULATION_LANES(__vmins##n, Signed, x < y ? x : y)                                                                 \
    EMULATION_LANES(__vcmpeq##n, Unsigned, x == y ? -1 : 0)                                                            \
    EMULATION_LANES(__vcmpne##n, Unsigned, x != y ? -1 : 0)                                                            \
    EMULATION_LANES(__vcmpgtu##n, Unsigned, x > y ? -1 : 0)                                                            \
    EMULATION_LANES(__vcmpgeu##n, Unsigned, x >= y ? -1 : 0)                                                           \
    EMULATION_LANES(__vcmpltu##n, Unsigned, x < y ? -1 : 0)                                                            \
    EMULATION_LANES(__vcmpleu##n, Unsigned, x <= y ? -1 : 0)                                                           \
    EMULATION_LANES(__vcmpgts##n, Signed, x > y ? -1 : 0)                                                              \
    EMULATION_LANES(__vcmpges##n, Signed, x >= y ? -1 : 0)                                                             \
    EMULATION_LANES(__vsetgtu##n, Unsigned, x > y ? 1 : 0)                                                             \
    EMULATION_LANES(__vsetgts##n, Signed, x > y ? 1 : 0)
EMULATION_VIDEO(4, std::uint8_t, std::int8_t, 0xff)
EMULATION_VIDEO(2, std::uint16_t, std::int16_t, 0xffff)
#undef EMULATION_VIDEO
#undef EMULATION_LANES
inline unsigned __vsadu4(unsigned a, unsigned b) {
    const unsigned d = __vabsdiffu4(a, b);
    return (d & 0xff) + (d >> 8 & 0xff) + (d >> 16 & 0xff) + (d >> 24);
}

// Rounding to nearest even is the mode of the processor; the compiler is told not to contract.
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fsqrt_rn(float a) { return sqrtf(a); }
inline float __frcp_rn(float a) { return 1.0f / a; }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline float __int2float_rn(int a) { return float(a); }
inline float __uint2float_rn(unsigned a) { return float(a); }
// Out of range saturates, NaN gives 0.
inline int __float2int_rz(float a) {
    return a != a ? 0 : a >= 2147483648.0f ? 2147483647 : a < -2147483648.0f ? -2147483647 - 1 : int(a);
}
inline int __float2int_rn(float a) { return __float2int_rz(rintf(a)); }
inline int __float2int_rd(float a) { return __float2int_rz(floorf(a)); }
inline int __float2int_ru(float a) { return __float2int_rz(ceilf(a)); }
inline unsigned __float2uint_rz(float a) { return !(a > 0) ? 0 : a >= 4294967296.0f ? 0xffffffffu : unsigned(a); }
inline unsigned __float2uint_rn(float a) { return __float2uint_rz(rintf(a)); }

namespace emulation {
template <class To, class From> To bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "same size");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}
} // namespace emulation
inline int __float_as_int(float a) { return emulation::bits<int>(a); }
inline unsigned __float_as_uint(float a) { return emulation::bits<unsigned>(a); }
inline float __int_as_float(int a) { return emulation::bits<float>(a); }
inline float __uint_as_float(unsigned a) { return emulation::bits<float>(a); }

#define EMULATION_VECTORS(T, name)                                                                                     \
    struct __align__(2 * sizeof(T)) name##2 {                                                                          \
        T x, y;                                                                                                        \
    };                                                                                                                 \
    struct __align__(4 * sizeof(T)) name##4 {                                                                          \
        T x, y, z, w;                                                                                                  \
    };                                                                                                                 \
    inline name##2 make_##name##2(T x, T y) { return {x, y}; }                                                         \
    inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
EMULATION_VECTORS(unsigned char, uchar)
EMULATION_VECTORS(signed char, char)
EMULATION_VECTORS(unsigned short, ushort)
EMULATION_VECTORS(short, short)
EMULATION_VECTORS(unsigned, uint)
EMULATION_VECTORS(int, int)
EMULATION_VECTORS(float, float)
#undef EMULATION_VECTORS
