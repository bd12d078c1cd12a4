// Objects and memory of the driver, so that a pointer to nothing is refused.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "fakecuda.hpp"

namespace fake {

State state;
thread_local Object *current = nullptr;
std::mutex lock;

Object *make(Kind kind, Object *context) {
    Object *object = new Object{kind, context};
    state.objects.insert(object);
    return object;
}

bool valid(const void *object, Kind kind) {
    Object *candidate = static_cast<Object *>(const_cast<void *>(object));
    return state.objects.count(candidate) != 0 && candidate->kind == kind;
}

// A context takes with it what was made in it.
void destroy(Object *object) {
    state.objects.erase(object);
    if (object->kind == Kind::context) {
        for (auto it = state.memory.begin(); it != state.memory.end();) {
            if (it->second.context == object) {
                if (!it->second.lent) {
                    std::free(reinterpret_cast<void *>(it->first));
                }
                it = state.memory.erase(it);
            } else {
                ++it;
            }
        }
        for (auto it = state.objects.begin(); it != state.objects.end();) {
            Object *child = *it;
            if (child->context == object) {
                it = state.objects.erase(it);
                delete child;
            } else {
                ++it;
            }
        }
        if (current == object) {
            current = nullptr;
        }
    }
    delete object;
}

int need_context() {
    if (!state.initialised) {
        return NOT_INITIALIZED;
    }
    return valid(current, Kind::context) ? SUCCESS : INVALID_CONTEXT;
}

// Aligned as CUDA's allocations are, and full of what nobody may rely on.
int allocate(void **address, std::size_t size, bool host) {
    if (int code = need_context()) {
        return code;
    }
    if (address == nullptr || size == 0) {
        return INVALID_VALUE;
    }
    void *bytes = nullptr;
    if (size > state.profile.memory || posix_memalign(&bytes, host ? 4096 : 256, size) != 0) {
        return OUT_OF_MEMORY;
    }
    std::memset(bytes, 0xa5, size);
    state.memory[reinterpret_cast<Address>(bytes)] = {size, current, host};
    *address = bytes;
    return SUCCESS;
}

int release(Address address, bool host) {
    const auto found = state.memory.find(address);
    if (found == state.memory.end() || found->second.host != host || found->second.lent) {
        return INVALID_VALUE;
    }
    std::free(reinterpret_cast<void *>(address));
    state.memory.erase(found);
    return SUCCESS;
}

bool within(Address address, std::size_t size) {
    auto after = state.memory.upper_bound(address);
    if (after == state.memory.begin()) {
        return false;
    }
    const auto &[start, allocation] = *--after;
    return address - start <= allocation.size && size <= allocation.size - (address - start);
}

bool catch_up(Object *stream) {
    const std::function<void()> work = std::move(stream->late);
    stream->late = nullptr;
    if (work) {
        work();
    }
    return bool(work);
}

void never_returns_if_hung(const char *name) {
    for (const Object *object : state.objects) {
        if (object->hung) {
            std::fprintf(stderr, "fakecuda: %s while a kernel hangs: a real driver would never return\n", name);
            std::_Exit(4);
        }
    }
}

} // namespace fake
