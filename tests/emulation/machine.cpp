// A launch: blocks, their shared memory, barriers.
#include "machine.hpp"

#include <cstdlib>

namespace emulation {

namespace {

// ThreadSanitizer of gcc 12 knows 8128 threads at most.
constexpr unsigned MAX_WATCHED = 8000;

unsigned sites = 0; // declarations of shared objects met so far

unsigned volume(uint3 size) { return size.x * size.y * size.z; }

uint3 position(unsigned number, uint3 size) {
    return {number % size.x, number / size.x % size.y, number / size.x / size.y};
}

// Everyone who came to the barrier happens before everyone who leaves it.
void order(Block &block, void *tag) {
    if (RACES) {
        for (Fiber &fiber : block.fibers) {
            release(fiber.context, tag);
        }
    }
}

void wake(Block &block, void *tag, std::uint64_t result) {
    block.arrived = 0;
    block.votes = 0;
    for (Fiber &fiber : block.fibers) {
        if (RACES) {
            acquire(fiber.context, tag);
        }
        fiber.result = result;
        if (&fiber != machine->running) {
            make_ready(fiber);
        }
    }
}

// Counts the running thread in; true once its whole block is there.
bool arrive(Operation operation, bool vote, Place place) {
    Fiber &self = *machine->running;
    Block &block = *self.owner;
    if (block.exited > 0) {
        emulation_fail("%s at %s:%d, but %u threads of the block have exited", name(operation), place.file, place.line,
                       block.exited);
    }
    self.wait = {operation, 0, vote, 0, 0, place};
    if (block.arrived++ == 0) {
        block.first = &self;
    }
    const Wait &first = block.first->wait;
    if (first.operation != operation || !same(first.place, place)) {
        emulation_fail("divergent barrier: %s at %s:%d, but thread %u of the block waits at %s, %s:%d", name(operation),
                       place.file, place.line, block.first->number, name(first.operation), first.place.file,
                       first.place.line);
    }
    block.votes += vote;
    return block.arrived == block.fibers.size();
}

} // namespace

int Bits::next(unsigned from) const {
    std::size_t word = from / 64;
    if (word >= words.size()) {
        return -1;
    }
    std::uint64_t left = words[word] >> from % 64 << from % 64;
    while (left == 0) {
        if (++word == words.size()) {
            return -1;
        }
        left = words[word];
    }
    return int(word * 64) + __builtin_ctzll(left);
}

int Bits::last() const {
    for (std::size_t word = words.size(); word-- > 0;) {
        if (words[word] != 0) {
            return int(word * 64) + 63 - __builtin_clzll(words[word]);
        }
    }
    return -1;
}

Block::Block(unsigned number, uint3 index, unsigned threads)
    : number(number), index(index), fibers(threads), warps((threads + WARP - 1) / WARP), ready(threads) {
    for (unsigned i = 0; i < threads; ++i) {
        Fiber &fiber = fibers[i];
        fiber.index = position(i, block_dim);
        fiber.block = index;
        fiber.lane = i % WARP;
        fiber.number = i;
        fiber.owner = this;
        warps[i / WARP].present |= 1u << fiber.lane;
        ready.set(i);
    }
}

Block::~Block() {
    for (void *object : shared) {
        std::free(object);
    }
}

Machine::Machine(const Kernel &kernel, uint3 grid, uint3 block, const void *arguments, Schedule schedule)
    : kernel(kernel), arguments(arguments), schedule(schedule),
      random((schedule.seed + 1) * 0x9e3779b97f4a7c15ULL | 1), ready(volume(grid)), round(volume(block)),
      unfinished(volume(grid) * volume(block)) {
    for (unsigned i = 0; i < volume(grid); ++i) {
        blocks.push_back(new Block(i, position(i, grid), volume(block)));
        ready.set(i);
    }
}

Machine::~Machine() {
    for (Block *block : blocks) {
        delete block;
    }
}

void launch(const Kernel &kernel, uint3 grid, uint3 block, const void *arguments, Schedule schedule) {
    grid_dim = grid;
    block_dim = block;
    Machine here(kernel, grid, block, arguments, schedule);
    machine = &here;
    if (volume(grid) == 0 || volume(block) == 0 || volume(block) > 1024) {
        emulation_fail("a grid of %u blocks of %u threads", volume(grid), volume(block));
    }
    if (RACES && volume(grid) * volume(block) > MAX_WATCHED) {
        emulation_fail("the race detector watches at most %u threads", MAX_WATCHED);
    }
    run_grid();
    machine = nullptr;
}

void *shared(Site &site, std::size_t size, std::size_t alignment) {
    if (site.number == 0) {
        site.number = ++sites;
    }
    std::vector<void *> &objects = machine->running->owner->shared;
    begin_unordered();
    if (objects.size() <= site.number) {
        objects.resize(site.number + 1, nullptr);
    }
    void *&object = objects[site.number];
    if (object == nullptr) {
        if (posix_memalign(&object, alignment < 16 ? 16 : alignment, size) != 0) {
            emulation_fail("no memory for shared %s", site.name);
        }
        volatile unsigned char *bytes = static_cast<unsigned char *>(object);
        for (std::size_t i = 0; i < size; ++i) {
            bytes[i] = 0xa5;
        }
    }
    end_unordered();
    return object;
}

unsigned block_barrier(Operation operation, bool vote, Place place) {
    Fiber &self = *machine->running;
    Block &block = *self.owner;
    if (!arrive(operation, vote, place)) {
        sleep();
        return unsigned(self.result);
    }
    unsigned result = block.votes;
    if (operation == Operation::syncthreads_and) {
        result = block.votes == block.fibers.size();
    }
    order(block, &block.tag);
    wake(block, &block.tag, result);
    return result;
}

void grid_barrier(const void *state, Place place) {
    Machine &m = *machine;
    const bool block_complete = arrive(Operation::grid_barrier, false, place);
    if (m.grid_arrived == 0 && m.grid_state == nullptr) {
        m.grid_state = state;
    } else if (state != m.grid_state) {
        emulation_fail("grid_barrier at %s:%d with another state than before", place.file, place.line);
    }
    if (!block_complete || ++m.grid_arrived < m.blocks.size()) {
        sleep();
        return;
    }
    m.grid_arrived = 0;
    for (Block *block : m.blocks) {
        order(*block, &m.grid_tag);
    }
    for (Block *block : m.blocks) {
        wake(*block, &m.grid_tag, 0);
    }
}

} // namespace emulation
