// Warp collectives: the last lane to come computes what each lane gets.
#include "machine.hpp"

namespace emulation {

namespace {

// What a shuffle from a lane outside the mask gives: undefined in CUDA.
constexpr std::uint64_t POISON = 0xdeadbeefdeadbeefULL;

unsigned source_lane(const Wait &wait, unsigned self) {
    const unsigned first = self & ~(wait.width - 1);
    switch (wait.operation) {
    case Operation::shfl:
        return first + (wait.lane & (wait.width - 1));
    case Operation::shfl_up:
        return self - first < wait.lane ? self : self - wait.lane;
    case Operation::shfl_down:
        return self - first + wait.lane >= wait.width ? self : self + wait.lane;
    case Operation::shfl_xor:
        return (self ^ wait.lane) >= first + wait.width ? self : self ^ wait.lane;
    default:
        return self;
    }
}

void check_same(const Fiber &self, const Fiber &other) {
    const Wait &a = self.wait, &b = other.wait;
    if (a.operation != b.operation || a.mask != b.mask || a.width != b.width || !same(a.place, b.place)) {
        emulation_fail("divergent warp: %s (mask %08x) at %s:%d, but lane %u is at %s (mask %08x), %s:%d",
                       name(a.operation), a.mask, a.place.file, a.place.line, other.lane, name(b.operation), b.mask,
                       b.place.file, b.place.line);
    }
}

// Lanes of different masks do not order each other, so that each mask has a tag of its own.
void order(Fiber *lanes, unsigned mask) {
    static char tags[1024];
    void *tag = &tags[(lanes->owner->number * 31 + lanes->number + mask % 509) % sizeof tags];
    for (unsigned lane = 0; lane < WARP; ++lane) {
        if (mask >> lane & 1) {
            release(lanes[lane].context, tag);
        }
    }
    for (unsigned lane = 0; lane < WARP; ++lane) {
        if (mask >> lane & 1) {
            acquire(lanes[lane].context, tag);
        }
    }
}

// The result of a vote, in which all lanes take part alike.
std::uint64_t vote(const Fiber *lanes, Operation operation, unsigned mask) {
    unsigned votes = 0;
    for (unsigned lane = 0; lane < WARP; ++lane) {
        if (mask >> lane & 1 && lanes[lane].wait.value != 0) {
            votes |= 1u << lane;
        }
    }
    return operation == Operation::any ? votes != 0 : operation == Operation::all ? votes == mask : votes;
}

void complete(Fiber *lanes, const Fiber &self) {
    const Wait &wait = self.wait;
    const bool is_shuffle = wait.operation >= Operation::shfl && wait.operation <= Operation::shfl_xor;
    const std::uint64_t same = is_shuffle ? 0 : vote(lanes, wait.operation, wait.mask);
    for (unsigned lane = 0; lane < WARP; ++lane) {
        if (wait.mask >> lane & 1) {
            check_same(self, lanes[lane]);
            const unsigned source = source_lane(lanes[lane].wait, lane);
            const std::uint64_t moved = wait.mask >> source & 1 ? lanes[source].wait.value : POISON;
            lanes[lane].result = is_shuffle ? moved : same;
        }
    }
    if (RACES && wait.operation == Operation::syncwarp) {
        order(lanes, wait.mask);
    }
}

} // namespace

std::uint64_t warp_collective(Operation operation, unsigned mask, std::uint64_t value, unsigned lane, unsigned width,
                              Place place) {
    Fiber &self = *machine->running;
    Warp &warp = self.owner->warps[self.number / WARP];
    Fiber *lanes = &self.owner->fibers[self.number - self.lane];
    if (!(mask >> self.lane & 1)) {
        emulation_fail("%s at %s:%d: the mask %08x does not name the calling lane", name(operation), place.file,
                       place.line, mask);
    }
    if ((mask & ~warp.present) != 0 || (mask & warp.exited) != 0) {
        emulation_fail("%s at %s:%d: the mask %08x names lanes that do not exist (%08x) or have exited (%08x)",
                       name(operation), place.file, place.line, mask, mask & ~warp.present, mask & warp.exited);
    }
    if (width == 0 || width > WARP || (width & (width - 1)) != 0) {
        emulation_fail("%s at %s:%d: a width of %u", name(operation), place.file, place.line, width);
    }
    self.wait = {operation, mask, value, lane, width, place};
    warp.waiting |= 1u << self.lane;
    if ((warp.waiting & mask) != mask) {
        sleep();
        return self.result;
    }
    complete(lanes, self);
    warp.waiting &= ~mask;
    for (unsigned other = 0; other < WARP; ++other) {
        if (mask >> other & 1 && other != self.lane) {
            make_ready(lanes[other]);
        }
    }
    return self.result;
}

} // namespace emulation
