// Fibers: stacks and the switch between them, told to the sanitizers. The switch saves the registers that a call
// preserves, nothing more; `swapcontext` would make a system call each time.
#pragma once

#include <cstddef>

// -DEMULATION_UCONTEXT tries the fallback of other processors.
#if !defined(__x86_64__) && !defined(EMULATION_UCONTEXT)
#define EMULATION_UCONTEXT
#endif
#if defined(EMULATION_UCONTEXT)
#include <ucontext.h>
#endif

namespace emulation {

struct Stack {
    char *low = nullptr;
    std::size_t size = 0;
};

// What is kept of a fiber while another one runs.
struct Context {
    Stack stack;
#if defined(EMULATION_UCONTEXT)
    ucontext_t machine;
#else
    void *top = nullptr;
#endif
    void *fake_stack = nullptr; // AddressSanitizer
    void *race_state = nullptr; // ThreadSanitizer
};

// The context of the caller, which has its stack already. Begins a launch.
void adopt(Context &context);

// Gives `context` a stack from the pool, on which the first switch to it calls `entry`. The entry calls `arrived` first
// and never returns. For the race detector `creator` makes it, whoever runs.
void prepare(Context &context, Context &creator, void (*entry)());

// Saves the running context in `from`, runs `to`. With `last`, `from` never runs again.
void switch_context(Context &from, Context &to, bool last);

// To be called on a new fiber before anything else.
void arrived();

// Returns the stack of a context that never runs again. Not to be called on that stack.
void dispose(Context &context);

// What the race detector is told.
void name_for_reports(Context &context, const char *name);
// `earlier` happens before `later`, through `tag` (any address).
void release(Context &earlier, void *tag);
void acquire(Context &later, void *tag);
// Memory that is allocated in between belongs to nobody yet.
void begin_unordered();
void end_unordered();

#if defined(EMULATION_RACES)
constexpr bool RACES = true;
#else
constexpr bool RACES = false;
#endif

} // namespace emulation
