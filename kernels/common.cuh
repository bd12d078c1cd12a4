// What all kernels share: the block's shape, checked arrays, sums over warp and block.
// NVRTC 10.2 (C++14, no includes) and the emulation (tests/emulation) both read this.

const u32 BLOCK = 256;
const u32 WARP = 32;
const u32 WARPS = BLOCK / WARP;
const u32 ALL_LANES = 0xFFFFFFFFu;

#ifndef VIO_EMULATED
#define SHARED(type, name) __shared__ type name
#define CHECK_INDEX(index, count)

// Any function of three bits, bit by bit: TABLE is its value for a = 0xF0, b = 0xCC, c = 0xAA. One instruction, which
// compilers do not find for all of them.
template <u32 TABLE>
__device__ u32 bitwise(u32 a, u32 b, u32 c) {
    u32 result;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(result) : "r"(a), "r"(b), "r"(c), "n"(TABLE));
    return result;
}

#else
template <u32 TABLE>
u32 bitwise(u32 a, u32 b, u32 c) {
    u32 result = 0;
    for (u32 bits = 0; bits < 8; ++bits)
        if ((TABLE >> bits & 1) != 0) result |= (bits & 4 ? a : ~a) & (bits & 2 ? b : ~b) & (bits & 1 ? c : ~c);
    return result;
}
#define CHECK_INDEX(index, count) \
    if ((index) >= (count)) emulation_fail("index %u of %u", unsigned(index), unsigned(count))
#endif

// The same value, unknown to compilers. What is made of it is made here, and not kept in registers from before.
__device__ u32 anew(u32 value) {
#ifndef VIO_EMULATED
    asm volatile("" : "+r"(value));
#endif
    return value;
}

// An array whose bounds the emulation checks.
template <typename T, u32 N>
struct Array {
    T items[N];
    __device__ T& operator[](u32 index) {
        CHECK_INDEX(index, N);
        return items[index];
    }
};

// Four bytes of an array from index `at` on, a multiple of four; the array is aligned.
template <u32 N>
__device__ u32& word_of(Array<u8, N>& bytes, u32 at) {
    CHECK_INDEX(at + 3, N);
    return *reinterpret_cast<u32*>(&bytes[at]);
}

// Eight bytes from index `at` on, a multiple of eight.
template <u32 N>
__device__ u64& eight_of(Array<u8, N>& bytes, u32 at) {
    CHECK_INDEX(at + 7, N);
    return *reinterpret_cast<u64*>(&bytes[at]);
}

// Two halfwords of an array from an even index on.
template <u32 N>
__device__ u32& pair_of(Array<u16, N>& halves, u32 at) {
    CHECK_INDEX(at + 1, N);
    return *reinterpret_cast<u32*>(&halves[at]);
}

typedef Array<u32, WARPS> WarpSums;

__device__ u32 warp_sum(u32 value) {
    for (u32 step = WARP / 2; step > 0; step /= 2) value += __shfl_xor_sync(ALL_LANES, value, step);
    return value;
}

// Sum over the threads up to this one. All threads of the block call it.
__device__ u32 block_inclusive_sum(u32 value, WarpSums& sums) {
    const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    for (u32 step = 1; step < WARP; step *= 2) {
        const u32 before = __shfl_up_sync(ALL_LANES, value, step);
        if (lane >= step) value += before;
    }
    __syncthreads(); // the sums of the call before have been read
    if (lane == WARP - 1) sums[warp] = value;
    __syncthreads();
    for (u32 w = 0; w < warp; ++w) value += sums[w];
    return value;
}

// Sum over the block, for all of its threads. All threads of the block call it.
__device__ u32 block_sum(u32 value, WarpSums& sums) {
    value = warp_sum(value);
    __syncthreads();
    if (threadIdx.x % WARP == 0) sums[threadIdx.x / WARP] = value;
    __syncthreads();
    u32 total = 0;
    for (u32 w = 0; w < WARPS; ++w) total += sums[w];
    return total;
}

// Pixels from one row of a pyramid level to the next.
__device__ u32 level_pitch(u32 width) { return (width + 15) & ~15u; }

__device__ u32 least(u32 a, u32 b) { return a < b ? a : b; }
__device__ u32 most(u32 a, u32 b) { return a < b ? b : a; }
__device__ i32 least(i32 a, i32 b) { return a < b ? a : b; }
__device__ i32 most(i32 a, i32 b) { return a < b ? b : a; }
// The lesser of two, or the greater.
template <bool LEAST>
__device__ i32 lesser(i32 a, i32 b) { return LEAST ? least(a, b) : most(a, b); }
__device__ i32 magnitude(i32 a) { return a < 0 ? -a : a; }
__device__ u32 rounded_up(u32 value, u32 step) { return (value + step - 1) / step; } // steps that cover value
