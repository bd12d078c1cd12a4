// Launching a kernel on the emulated device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda.hpp"

namespace emulation {

// The order in which threads and blocks take turns. Forward and reverse run one block as far as it gets; random draws
// the block, the order of its threads and how often an atomic gives way.
enum class Order : std::uint32_t { forward, reverse, random };
struct Schedule {
    Order order;
    std::uint64_t seed;
};

// A kernel takes one structure by value.
struct Kernel {
    const char *name;
    std::size_t argument_size;
    void (*call)(const void *arguments);
};

// Runs the grid to its end. What is wrong with the kernel ends the process through `emulation_fail`.
void launch(const Kernel &kernel, uint3 grid, uint3 block, const void *arguments, Schedule schedule);

// Has the sanitizers name the thread in their last words.
void explain_death();

// kernels.cpp
const Kernel *find_kernel(const char *name);
void print_abi();

template <class Arguments> constexpr std::size_t argument_size(void (*)(Arguments)) { return sizeof(Arguments); }

template <class Arguments> void call_with(void (*kernel)(Arguments), const void *arguments) {
    Arguments copy;
    __builtin_memcpy(&copy, arguments, sizeof copy);
    kernel(copy);
}

} // namespace emulation

// An entry of the table of kernels.
#define KERNEL(function)                                                                                               \
    { #function, ::emulation::argument_size(function),                                                                 \
      [](const void *arguments) { ::emulation::call_with(function, arguments); } }
