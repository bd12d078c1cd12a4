// The emulated device: all blocks of one grid alive at once, run by one host thread. One launch at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda.hpp"
#include "fiber.hpp"
#include "launch.hpp"

namespace emulation {

constexpr unsigned WARP = 32;

// A set of small numbers that is walked in order.
class Bits {
  public:
    explicit Bits(unsigned size) : words((size + 63) / 64) {}
    void set(unsigned i) { words[i / 64] |= std::uint64_t(1) << i % 64; }
    void clear(unsigned i) { words[i / 64] &= ~(std::uint64_t(1) << i % 64); }
    bool has(unsigned i) const { return words[i / 64] >> i % 64 & 1; }
    // The least member >= from, or -1.
    int next(unsigned from) const;
    // The greatest member, or -1.
    int last() const;

  private:
    std::vector<std::uint64_t> words;
};

// What a sleeping thread has come to.
struct Wait {
    Operation operation;
    unsigned mask;
    std::uint64_t value;
    unsigned lane;
    unsigned width;
    Place place;
};

// File names are mostly the same pointer.
inline bool same(Place a, Place b) {
    return a.line == b.line && (a.file == b.file || __builtin_strcmp(a.file, b.file) == 0);
}

struct Block;

struct Fiber : Thread {
    Context context;
    Block *owner;
    unsigned number; // in the block
    bool started, exited;
    bool polls; // gave way at an atomic, not at a barrier
    Wait wait;
    std::uint64_t result;
};

struct Warp {
    std::uint32_t present, waiting, exited;
};

struct Block {
    Block(unsigned number, uint3 index, unsigned threads);
    ~Block();
    unsigned number;
    uint3 index;
    std::vector<Fiber> fibers;
    std::vector<Warp> warps;
    Bits ready;
    unsigned arrived = 0, votes = 0, exited = 0;
    Fiber *first = nullptr; // the first to come to the barrier
    std::vector<void *> shared;
    char tag = 0; // the race detector's name of the barrier
};

struct Machine {
    Machine(const Kernel &kernel, uint3 grid, uint3 block, const void *arguments, Schedule schedule);
    ~Machine();
    const Kernel &kernel;
    const void *arguments;
    Schedule schedule;
    std::uint64_t random;
    std::vector<Block *> blocks;
    Bits ready; // blocks with threads that can run
    std::vector<Fiber *> round;
    std::size_t round_next = 0, round_size = 0;
    unsigned current_block = 0;
    bool rotate = false; // somebody polls: let another block run
    unsigned unfinished = 0;
    unsigned grid_arrived = 0;
    const void *grid_state = nullptr;
    char grid_tag = 0, end_tag = 0;
    Context host;
    Fiber *running = nullptr;
    Fiber *ended = nullptr; // its stack is still to be returned
};
extern Machine *machine;

// Runs all threads of `machine` to their ends.
void run_grid();
void start(Fiber &fiber);
void make_ready(Fiber &fiber);
// Puts the running thread to sleep until it is made ready.
void sleep();
[[noreturn]] void deadlock();
const char *name(Operation operation);

} // namespace emulation
