// A libcuda.so.1 without a GPU: what its files share. README.md says what it is for and how it is told what to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>

using Address = unsigned long long;

namespace fake {

// CUresult.
enum : int {
    SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, INVALID_DEVICE = 101, INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201, NO_BINARY_FOR_GPU = 209, INVALID_PTX = 218, INVALID_HANDLE = 400, NOT_FOUND = 500,
    NOT_READY = 600, ALREADY_REGISTERED = 712, NOT_REGISTERED = 713, COOPERATIVE_LAUNCH_TOO_LARGE = 720, NOT_SUPPORTED = 801,
};

// What the emulated device is.
struct Profile {
    std::string name;
    int driver; // 1000 * major + 10 * minor
    int major, minor;
    bool integrated, registers;
    int multiprocessors, threads; // of a multiprocessor
    int attributes; // those from this number on are refused
    std::size_t memory;
};

// What happens to one call instead of its work.
struct Fault {
    enum Kind { none, fail, hang, lose, late } kind = none;
    int code = 0;
};

enum class Kind { context, stream, event, module, function };

// Something that a caller has a pointer to.
struct Object {
    Kind kind;
    Object *context;
    // A stream: its kernel never ends; what became of its work.
    bool hung = false;
    int lost = 0;
    std::function<void()> late = {}; // a launch that has not begun
    // A module: its code. A function: its kernel's name.
    std::string text = {};
};

struct Allocation {
    std::size_t size;
    Object *context;
    bool host;
    bool lent = false; // the caller's own, registered
};

// The driver of this process. Guarded by the lock that every entry point holds.
struct State {
    Profile profile;
    std::map<int, int> attributes; // given by the control file; -1 is refused
    bool initialised = false;
    int sticky = 0; // the code that every call answers from now on
    Fault fault;    // of the running call, for launches
    std::set<Object *> objects;
    std::map<Address, Allocation> memory;
};
extern State state;
extern thread_local Object *current;

// control.cpp: before each call reads the control file anew.
Fault enter(const char *name);
void leave(const char *name, int code);
bool sticky(int code);
// state.cpp
Object *make(Kind kind, Object *context);
bool valid(const void *object, Kind kind);
void destroy(Object *object);
// INVALID_CONTEXT unless one is current.
int need_context();
int allocate(void **address, std::size_t size, bool host);
int release(Address address, bool host);
// Whether the bytes lie in one allocation.
bool within(Address address, std::size_t size);
// Does what a stream has left for later. Whether there was anything.
bool catch_up(Object *stream);
// The process ends: a real driver would not come back from this call while a kernel hangs.
void never_returns_if_hung(const char *name);

extern std::mutex lock;

template <class Body> int call(const char *name, bool survives, Body body) {
    std::lock_guard<std::mutex> guard(lock);
    const Fault fault = enter(name);
    int code;
    if (fault.kind == Fault::fail) {
        code = fault.code;
        if (sticky(code)) {
            state.sticky = code;
        }
    } else if (state.sticky != 0 && !survives) {
        code = state.sticky;
    } else {
        state.fault = fault;
        code = body();
        state.fault = {};
    }
    leave(name, code);
    return code;
}

} // namespace fake

// An entry point: its name, parameters, and those as arguments; then its body. It answers a CUresult.
#define ENTRY(name, survives, parameters, arguments)                                                                   \
    static int body_##name parameters;                                                                                 \
    extern "C" __attribute__((visibility("default"))) int name parameters {                                            \
        return fake::call(#name, survives, [&] { return body_##name arguments; });                                     \
    }                                                                                                                  \
    static int body_##name parameters
#define API(name, parameters, arguments) ENTRY(name, false, parameters, arguments)
// One that works after the GPU is lost.
#define API_SURVIVES(name, parameters, arguments) ENTRY(name, true, parameters, arguments)
