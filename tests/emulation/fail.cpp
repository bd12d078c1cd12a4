// What is wrong with a kernel, in words.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <unistd.h>

#include "machine.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
extern "C" const char *__asan_default_options() { return "detect_leaks=0:abort_on_error=0:exitcode=66"; }
extern "C" const char *__ubsan_default_options() { return "print_stacktrace=1:exitcode=66"; }
#endif
#if defined(EMULATION_RACES)
extern "C" const char *__tsan_default_options() {
    return "halt_on_error=1:exitcode=66:report_thread_leaks=0:atexit_sleep_ms=0";
}
#endif

namespace emulation {

namespace {

void print_where() {
    if (machine == nullptr || machine->running == nullptr) {
        return;
    }
    const Fiber &f = *machine->running;
    std::fprintf(stderr, "in kernel %s, block (%u, %u, %u), thread (%u, %u, %u)\n", machine->kernel.name, f.block.x,
                 f.block.y, f.block.z, f.index.x, f.index.y, f.index.z);
}

} // namespace

const char *name(Operation operation) {
    static const char *const NAMES[] = {
        "nothing",        "__syncthreads",    "__syncthreads_count", "__syncthreads_or", "__syncthreads_and",
        "grid_barrier",   "__syncwarp",       "__shfl_sync",         "__shfl_up_sync",   "__shfl_down_sync",
        "__shfl_xor_sync", "__ballot_sync",   "__any_sync",          "__all_sync"};
    return NAMES[int(operation)];
}

// Sanitizers end the process from within: say where the kernel was.
void explain_death() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_set_death_callback(print_where);
#endif
}

void deadlock() {
    // Threads by what they wait for.
    std::map<std::string, unsigned> waits;
    for (const Block *block : machine->blocks) {
        for (const Fiber &fiber : block->fibers) {
            const Wait &wait = fiber.wait;
            if (!fiber.exited && wait.operation != Operation::none) {
                char line[300];
                std::snprintf(line, sizeof line, "block (%u, %u, %u): %s, %s:%d", block->index.x, block->index.y,
                              block->index.z, name(wait.operation), wait.place.file, wait.place.line);
                ++waits[line];
            }
        }
    }
    std::string all;
    unsigned lines = 0;
    for (const auto &wait : waits) {
        if (++lines <= 20) {
            all += "\n  " + std::to_string(wait.second) + " threads of " + wait.first;
        }
    }
    emulation_fail("deadlock; waiting are%s%s", all.c_str(), lines > 20 ? "\n  and others" : "");
}

} // namespace emulation

void emulation_fail(const char *what, ...) {
    std::fflush(stdout);
    std::va_list arguments;
    va_start(arguments, what);
    std::vfprintf(stderr, what, arguments);
    va_end(arguments);
    std::fputc('\n', stderr);
    emulation::print_where();
    _exit(3);
}
