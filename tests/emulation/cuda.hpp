// What a CUDA kernel sees when g++ compiles it: keywords, indices, barriers and the two macros that the kernels use in
// place of `__shared__` and of a cooperative launch. Each CUDA thread is a fiber (fiber.hpp); a barrier or a warp
// collective puts it to sleep until everyone named has come.
//
// Stricter than the hardware on purpose: all threads must meet at the same source line, nobody may have exited.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#define VIO_EMULATED 1

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

struct uint3 {
    unsigned x, y, z;
};
using dim3 = uint3;

// Prints kernel, block and thread after the message, then ends the process with status 3.
[[noreturn]] void emulation_fail(const char *what, ...) __attribute__((format(printf, 1, 2)));

namespace emulation {

// A source line: the default argument `HERE` is evaluated where the kernel makes the call.
struct Place {
    const char *file;
    int line;
};
#define EMULATION_HERE {__builtin_FILE(), __builtin_LINE()}

struct Thread {
    uint3 index;
    uint3 block;
    unsigned lane;
};
extern Thread *current;
extern uint3 block_dim, grid_dim;

// A declaration of a shared object; the number is given at its first use.
struct Site {
    const char *name;
    unsigned number;
};
void *shared(Site &site, std::size_t size, std::size_t alignment);

enum class Operation : unsigned char {
    none, syncthreads, syncthreads_count, syncthreads_or, syncthreads_and, grid_barrier,
    syncwarp, shfl, shfl_up, shfl_down, shfl_xor, ballot, any, all
};
unsigned block_barrier(Operation operation, bool vote, Place place);
void grid_barrier(const void *state, Place place);

// All lanes of `mask` meet; `value` is what this lane brings, `lane` the parameter of a shuffle.
std::uint64_t warp_collective(Operation operation, unsigned mask, std::uint64_t value, unsigned lane, unsigned width,
                              Place place);

// Lets other threads run now and then, so that a loop that polls an atomic ends.
void before_atomic();

template <class T> T &shared_object(Site &site) {
    static_assert(std::is_trivially_default_constructible<T>::value, "__shared__ runs no constructors");
    return *static_cast<T *>(shared(site, sizeof(T), alignof(T)));
}

} // namespace emulation

#define threadIdx (::emulation::current->index)
#define blockIdx (::emulation::current->block)
#define blockDim (::emulation::block_dim)
#define gridDim (::emulation::grid_dim)
constexpr int warpSize = 32;

// One object a block and declaration, filled with 0xA5 when the block first reaches it. A type with a comma needs an
// alias.
#define SHARED(type, name)                                                                                             \
    static ::emulation::Site name##_site = {#name, 0};                                                                 \
    type &name = ::emulation::shared_object<type>(name##_site)

inline void __syncthreads(emulation::Place place = EMULATION_HERE) {
    emulation::block_barrier(emulation::Operation::syncthreads, false, place);
}
inline int __syncthreads_count(int predicate, emulation::Place place = EMULATION_HERE) {
    return int(emulation::block_barrier(emulation::Operation::syncthreads_count, predicate != 0, place));
}
inline int __syncthreads_or(int predicate, emulation::Place place = EMULATION_HERE) {
    return emulation::block_barrier(emulation::Operation::syncthreads_or, predicate != 0, place) != 0;
}
inline int __syncthreads_and(int predicate, emulation::Place place = EMULATION_HERE) {
    return emulation::block_barrier(emulation::Operation::syncthreads_and, predicate != 0, place) != 0;
}

// All threads of the grid. The state is only checked to be memory of the caller's: real devices count in it.
inline void grid_barrier(unsigned *state, emulation::Place place = EMULATION_HERE) {
    __atomic_fetch_add(state, 0u, __ATOMIC_RELAXED);
    emulation::grid_barrier(state, place);
}

// Orders nothing between threads here, as fibers take turns. For the race detector a fence alone orders nothing either.
inline void __threadfence_block() { __asm__ volatile("" ::: "memory"); }
inline void __threadfence() { __asm__ volatile("" ::: "memory"); }
inline void __threadfence_system() { __asm__ volatile("" ::: "memory"); }

#include "atomics.hpp"
#include "intrinsics.hpp"
#include "warp.hpp"
