// Atomics, relaxed as CUDA's are, for the types that CUDA 10.2 has them for on all devices: u32, i32, and u64 from
// compute capability 3.5. No float: its sums would depend on the order.
#pragma once

namespace emulation {

template <class T, class F> T update(T *address, F next) {
    before_atomic();
    T old = __atomic_load_n(address, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(address, &old, next(old), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return old;
}

} // namespace emulation

#define EMULATION_ATOMIC(name, T, builtin)                                                                             \
    inline T name(T *address, T value) {                                                                               \
        emulation::before_atomic();                                                                                    \
        return builtin(address, value, __ATOMIC_RELAXED);                                                              \
    }
#define EMULATION_ATOMICS(T)                                                                                           \
    EMULATION_ATOMIC(atomicAdd, T, __atomic_fetch_add)                                                                 \
    EMULATION_ATOMIC(atomicAnd, T, __atomic_fetch_and)                                                                 \
    EMULATION_ATOMIC(atomicOr, T, __atomic_fetch_or)                                                                   \
    EMULATION_ATOMIC(atomicXor, T, __atomic_fetch_xor)                                                                 \
    EMULATION_ATOMIC(atomicExch, T, __atomic_exchange_n)                                                               \
    inline T atomicMax(T *address, T value) {                                                                          \
        return emulation::update(address, [value](T old) { return old > value ? old : value; });                       \
    }                                                                                                                  \
    inline T atomicMin(T *address, T value) {                                                                          \
        return emulation::update(address, [value](T old) { return old < value ? old : value; });                       \
    }                                                                                                                  \
    inline T atomicCAS(T *address, T compare, T value) {                                                               \
        emulation::before_atomic();                                                                                    \
        __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);              \
        return compare;                                                                                                \
    }
EMULATION_ATOMICS(unsigned)
EMULATION_ATOMICS(int)
EMULATION_ATOMICS(unsigned long long)
EMULATION_ATOMIC(atomicSub, unsigned, __atomic_fetch_sub)
EMULATION_ATOMIC(atomicSub, int, __atomic_fetch_sub)
#undef EMULATION_ATOMICS
#undef EMULATION_ATOMIC
