#include "fiber.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(EMULATION_RACES)
#include <sanitizer/tsan_interface.h>
extern "C" void AnnotateIgnoreWritesBegin(const char *file, int line);
extern "C" void AnnotateIgnoreWritesEnd(const char *file, int line);
#endif

namespace emulation {
namespace {

constexpr std::size_t PAGE = 4096;
#if defined(__SANITIZE_ADDRESS__) || defined(EMULATION_RACES)
constexpr std::size_t STACK = 31 * PAGE;
#else
constexpr std::size_t STACK = 15 * PAGE;
#endif
// Each guard page splits a mapping in two, of which Linux allows 65530 a process.
#if !defined(EMULATION_GUARDS)
#define EMULATION_GUARDS 24000
#endif
constexpr std::size_t MAX_GUARDS = EMULATION_GUARDS;
constexpr std::size_t SLAB = 256;
constexpr int FRESH = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

std::vector<Stack> pool;
std::size_t stacks_made = 0;
#if defined(EMULATION_RACES)
// Making the detector's state of a fiber takes a millisecond. A later launch may use it again, as it comes after all of
// this one; in the same launch the new fiber would seem ordered after the old one.
std::vector<void *> idle_states, used_states;
char launch_tag;
#endif
// Where the context that runs now came from: the first switch to a fiber learns the caller's stack from it.
Context *left = nullptr;

void refill() {
    const std::size_t stride = STACK + PAGE;
    void *slab = mmap(nullptr, SLAB * stride, PROT_READ | PROT_WRITE, FRESH, -1, 0);
    if (slab == MAP_FAILED) {
        std::perror("emulation: no memory for stacks");
        std::exit(3);
    }
    // Huge pages would make each small stack touch 2 MB.
    madvise(slab, SLAB * stride, MADV_NOHUGEPAGE);
    for (std::size_t i = SLAB; i-- > 0;) {
        char *guard = static_cast<char *>(slab) + i * stride;
        if (stacks_made++ < MAX_GUARDS) {
            mprotect(guard, PAGE, PROT_NONE);
        }
        pool.push_back({guard + PAGE, STACK});
    }
}

} // namespace

void adopt(Context &context) {
    context = Context();
#if defined(EMULATION_RACES)
    context.race_state = __tsan_get_current_fiber();
    idle_states.insert(idle_states.end(), used_states.begin(), used_states.end());
    used_states.clear();
    __tsan_release(&launch_tag);
#endif
}

#if !defined(EMULATION_UCONTEXT)

extern "C" void emulation_switch(void **save, void *load);
__asm__(R"(
    .text
    .globl emulation_switch
    .type emulation_switch, @function
emulation_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    popq %rcx
    jmp *%rcx
    .size emulation_switch, . - emulation_switch
)");

#endif

void prepare(Context &context, Context &creator, void (*entry)()) {
    begin_unordered();
    if (pool.empty()) {
        refill();
    }
    context.stack = pool.back();
    pool.pop_back();
    if (RACES) { // forget who used this stack before
        mmap(context.stack.low, context.stack.size, PROT_READ | PROT_WRITE, FRESH | MAP_FIXED, -1, 0);
    }
    end_unordered();
    // Stacks that begin at the same offset of their pages would compete for the same few sets of the cache.
    const std::uintptr_t number = std::uintptr_t(context.stack.low) / (STACK + PAGE);
    const std::size_t colour = number % 16 * 192;
#if !defined(EMULATION_UCONTEXT)
    void **top = reinterpret_cast<void **>(context.stack.low + context.stack.size - colour);
    *--top = nullptr; // return address of `entry`: none
    *--top = reinterpret_cast<void *>(entry);
    for (int preserved = 0; preserved < 6; ++preserved) {
        *--top = nullptr;
    }
    context.top = top;
#else
    getcontext(&context.machine);
    context.machine.uc_stack.ss_sp = context.stack.low;
    context.machine.uc_stack.ss_size = context.stack.size - colour;
    context.machine.uc_link = nullptr;
    makecontext(&context.machine, entry, 0);
#endif
#if defined(EMULATION_RACES)
    if (!idle_states.empty()) {
        context.race_state = idle_states.back();
        idle_states.pop_back();
        acquire(context, &launch_tag);
        return;
    }
    void *self = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(creator.race_state, __tsan_switch_to_fiber_no_sync);
    context.race_state = __tsan_create_fiber(0);
    __tsan_switch_to_fiber(self, __tsan_switch_to_fiber_no_sync);
#else
    (void)creator;
#endif
}

void switch_context(Context &from, Context &to, bool last) {
    left = &from;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(last ? nullptr : &from.fake_stack, to.stack.low, to.stack.size);
#endif
#if defined(EMULATION_RACES)
    __tsan_switch_to_fiber(to.race_state, __tsan_switch_to_fiber_no_sync);
#endif
    (void)last;
#if !defined(EMULATION_UCONTEXT)
    emulation_switch(&from.top, to.top);
#else
    swapcontext(&from.machine, &to.machine);
#endif
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(from.fake_stack, nullptr, nullptr);
#endif
}

void arrived() {
#if defined(__SANITIZE_ADDRESS__)
    const void *low = nullptr;
    std::size_t size = 0;
    __sanitizer_finish_switch_fiber(nullptr, &low, &size);
    left->stack = {static_cast<char *>(const_cast<void *>(low)), size};
#endif
}

void dispose(Context &context) {
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(context.stack.low, context.stack.size);
#endif
    begin_unordered();
#if defined(EMULATION_RACES)
    used_states.push_back(context.race_state);
#endif
    pool.push_back(context.stack);
    end_unordered();
    context.stack = Stack();
}

#if defined(EMULATION_RACES)

void name_for_reports(Context &context, const char *name) { __tsan_set_fiber_name(context.race_state, name); }

void release(Context &earlier, void *tag) {
    void *self = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(earlier.race_state, __tsan_switch_to_fiber_no_sync);
    __tsan_release(tag);
    __tsan_switch_to_fiber(self, __tsan_switch_to_fiber_no_sync);
}

void acquire(Context &later, void *tag) {
    void *self = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(later.race_state, __tsan_switch_to_fiber_no_sync);
    __tsan_acquire(tag);
    __tsan_switch_to_fiber(self, __tsan_switch_to_fiber_no_sync);
}

void begin_unordered() { AnnotateIgnoreWritesBegin(__FILE__, __LINE__); }
void end_unordered() { AnnotateIgnoreWritesEnd(__FILE__, __LINE__); }

#else

void name_for_reports(Context &, const char *) {}
void release(Context &, void *) {}
void acquire(Context &, void *) {}
void begin_unordered() {}
void end_unordered() {}

#endif

} // namespace emulation
