// Warp collectives. Values have 32 or 64 bits, as CUDA's have.
#pragma once

namespace emulation {

template <class T>
T shuffle(Operation operation, unsigned mask, T value, unsigned lane, int width, Place place) {
    static_assert(std::is_arithmetic<T>::value && (sizeof(T) == 4 || sizeof(T) == 8), "shuffles move 32 or 64 bits");
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    bits = warp_collective(operation, mask, bits, lane, unsigned(width), place);
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

} // namespace emulation

template <class T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32, emulation::Place place = EMULATION_HERE) {
    return emulation::shuffle(emulation::Operation::shfl, mask, value, unsigned(lane), width, place);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, emulation::Place place = EMULATION_HERE) {
    return emulation::shuffle(emulation::Operation::shfl_up, mask, value, delta, width, place);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, emulation::Place place = EMULATION_HERE) {
    return emulation::shuffle(emulation::Operation::shfl_down, mask, value, delta, width, place);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, emulation::Place place = EMULATION_HERE) {
    return emulation::shuffle(emulation::Operation::shfl_xor, mask, value, unsigned(lanes), width, place);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, emulation::Place place = EMULATION_HERE) {
    return unsigned(
        emulation::warp_collective(emulation::Operation::ballot, mask, predicate != 0, 0, warpSize, place));
}
inline int __any_sync(unsigned mask, int predicate, emulation::Place place = EMULATION_HERE) {
    return int(emulation::warp_collective(emulation::Operation::any, mask, predicate != 0, 0, warpSize, place));
}
inline int __all_sync(unsigned mask, int predicate, emulation::Place place = EMULATION_HERE) {
    return int(emulation::warp_collective(emulation::Operation::all, mask, predicate != 0, 0, warpSize, place));
}
inline void __syncwarp(unsigned mask = 0xffffffffu, emulation::Place place = EMULATION_HERE) {
    emulation::warp_collective(emulation::Operation::syncwarp, mask, 0, 0, warpSize, place);
}

// CUDA promises no more than that the caller is in it; so only the caller is.
inline unsigned __activemask() { return 1u << (emulation::current->lane); }
