// The scheduler: which thread runs next, how it starts and ends.
#include "machine.hpp"

#include <cstdio>
#include <cstdlib>

namespace emulation {

Thread *current = nullptr;
uint3 block_dim, grid_dim;
Machine *machine = nullptr;

namespace {

// Atomics that a thread does before it gives way: many, as a switch costs more than an atomic; few once it polls.
constexpr int ATOMICS_A_TURN = 64;
constexpr int ATOMICS_A_POLL = 2;
int atomics_left = 0;

std::uint64_t draw() { // xorshift64*
    std::uint64_t &x = machine->random;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    return (x * 0x2545f4914f6cdd1dULL) >> 32;
}

std::uint64_t draw_below(std::uint64_t n) { return draw() * n >> 32; }

void exchange(Fiber *&a, Fiber *&b) {
    Fiber *const kept = a;
    a = b;
    b = kept;
}

int pick_block() {
    Machine &m = *machine;
    unsigned from = 0;
    switch (m.schedule.order) {
    case Order::forward:
        from = m.rotate ? m.current_block + 1 : 0;
        break;
    case Order::reverse:
        if (!m.rotate) {
            return m.ready.last();
        }
        from = m.current_block + 1;
        break;
    case Order::random:
        from = unsigned(draw_below(m.blocks.size()));
        break;
    }
    const int found = from < m.blocks.size() ? m.ready.next(from) : -1;
    return found >= 0 ? found : m.ready.next(0);
}

// Takes all ready threads of a block as the next round.
bool fill_round() {
    Machine &m = *machine;
    const int picked = pick_block();
    if (picked < 0) {
        return false;
    }
    m.rotate = false;
    m.current_block = unsigned(picked);
    Block &block = *m.blocks[m.current_block];
    m.ready.clear(m.current_block);
    std::size_t size = 0;
    for (int i = block.ready.next(0); i >= 0; i = block.ready.next(unsigned(i) + 1)) {
        block.ready.clear(unsigned(i));
        m.round[size++] = &block.fibers[unsigned(i)];
    }
    if (m.schedule.order == Order::reverse) {
        for (std::size_t low = 0, high = size; low + 1 < high;) {
            exchange(m.round[low++], m.round[--high]);
        }
    } else if (m.schedule.order == Order::random) {
        for (std::size_t left = size; left > 1; --left) {
            exchange(m.round[left - 1], m.round[draw_below(left)]);
        }
    }
    m.round_next = 0;
    m.round_size = size;
    return true;
}

Fiber *next_fiber() {
    Machine &m = *machine;
    while (m.round_next == m.round_size) {
        if (!fill_round()) {
            return nullptr;
        }
    }
    return m.round[m.round_next++];
}

void begin_turn() {
    Machine &m = *machine;
    if (m.ended != nullptr) {
        dispose(m.ended->context);
        m.ended = nullptr;
    }
    const int turn = m.running->polls ? ATOMICS_A_POLL : ATOMICS_A_TURN;
    atomics_left = m.schedule.order == Order::random ? 1 + int(draw_below(16)) : turn;
}

void check_exit(const Fiber &self) {
    const Block &block = *self.owner;
    if (block.arrived > 0) {
        const Wait &wait = block.first->wait;
        emulation_fail("the thread exits while thread %u of its block waits at %s, %s:%d", block.first->number,
                       name(wait.operation), wait.place.file, wait.place.line);
    }
    const unsigned bit = 1u << self.lane;
    const unsigned base = self.number - self.lane;
    const unsigned waiting = block.warps[self.number / WARP].waiting;
    for (unsigned lane = 0; lane < WARP; ++lane) {
        if (waiting >> lane & 1 && block.fibers[base + lane].wait.mask & bit) {
            const Wait &wait = block.fibers[base + lane].wait;
            emulation_fail("lane %u exits while lane %u waits for it (mask %08x) at %s, %s:%d", self.lane, lane,
                           wait.mask, name(wait.operation), wait.place.file, wait.place.line);
        }
    }
}

void run_fiber();

// Hands the processor over, for good if `last`.
void hand_over(Fiber &self, bool last) {
    Machine &m = *machine;
    Fiber *next = next_fiber();
    if (next == nullptr) {
        deadlock();
    }
    if (next != &self) {
        if (!next->started) {
            start(*next);
        }
        m.running = next;
        current = next;
        switch_context(self.context, next->context, last);
    }
    begin_turn();
}

void run_fiber() {
    arrived();
    begin_turn();
    Machine &m = *machine;
    m.kernel.call(m.arguments);

    Fiber &self = *m.running;
    check_exit(self);
    self.exited = true;
    ++self.owner->exited;
    self.owner->warps[self.number / WARP].exited |= 1u << self.lane;
    release(self.context, &m.end_tag);
    m.ended = &self;
    if (--m.unfinished > 0) {
        hand_over(self, true);
    }
    switch_context(self.context, m.host, true);
    std::abort();
}

} // namespace

void start(Fiber &fiber) {
    fiber.started = true;
    prepare(fiber.context, machine->host, run_fiber);
    if (!RACES) {
        return;
    }
    char name[64];
    std::snprintf(name, sizeof name, "block %u,%u,%u thread %u,%u,%u", fiber.block.x, fiber.block.y, fiber.block.z,
                  fiber.index.x, fiber.index.y, fiber.index.z);
    name_for_reports(fiber.context, name);
}

void make_ready(Fiber &fiber) {
    fiber.wait.operation = Operation::none;
    fiber.owner->ready.set(fiber.number);
    machine->ready.set(fiber.owner->number);
}

void sleep() {
    Fiber &self = *machine->running;
    self.polls = false;
    hand_over(self, false);
}

void before_atomic() {
    if (--atomics_left <= 0) {
        Fiber &self = *machine->running;
        self.polls = true;
        machine->rotate = true;
        make_ready(self);
        hand_over(self, false);
    }
}

void run_grid() {
    Machine &m = *machine;
    adopt(m.host);
    Fiber *first = next_fiber();
    start(*first);
    m.running = first;
    current = first;
    switch_context(m.host, first->context, false);
    dispose(m.ended->context);
    acquire(m.host, &m.end_tag);
}

} // namespace emulation
