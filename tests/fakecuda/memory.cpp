// Memory: of the host, all of it.
#include <cstring>
#include <iterator>

#include "fakecuda.hpp"

using namespace fake;

namespace {

constexpr unsigned HOST_FLAGS = 7; // portable, device map, write combined
constexpr unsigned REGISTER_FLAGS = 3; // portable, device map

void *pointer(Address address) { return reinterpret_cast<void *>(address); }

int ranged(Address address, std::size_t bytes, const void *stream) {
    if (int code = need_context()) {
        return code;
    }
    if (!valid(stream, Kind::stream)) {
        return INVALID_HANDLE;
    }
    catch_up(static_cast<Object *>(const_cast<void *>(stream)));
    return within(address, bytes) ? SUCCESS : INVALID_VALUE;
}

} // namespace

API(cuMemAlloc_v2, (Address * address, std::size_t bytes), (address, bytes)) {
    void *found = nullptr;
    const int code = allocate(&found, bytes, false);
    *address = reinterpret_cast<Address>(found);
    return code;
}

API(cuMemFree_v2, (Address address), (address)) {
    never_returns_if_hung("cuMemFree_v2");
    return release(address, false);
}

API(cuMemHostAlloc, (void **address, std::size_t bytes, unsigned flags), (address, bytes, flags)) {
    return flags > HOST_FLAGS ? int(INVALID_VALUE) : allocate(address, bytes, true);
}

API(cuMemFreeHost, (void *address), (address)) {
    never_returns_if_hung("cuMemFreeHost");
    return release(reinterpret_cast<Address>(address), true);
}

API(cuMemHostGetDevicePointer_v2, (Address * device, void *host, unsigned flags), (device, host, flags)) {
    const Address address = reinterpret_cast<Address>(host);
    const auto found = state.memory.find(address);
    if (flags != 0 || found == state.memory.end() || !found->second.host) {
        return INVALID_VALUE;
    }
    *device = address;
    return SUCCESS;
}

API(cuMemHostRegister_v2, (void *address, std::size_t bytes, unsigned flags), (address, bytes, flags)) {
    if (!state.profile.registers) {
        return NOT_SUPPORTED;
    }
    if (int code = need_context()) {
        return code;
    }
    if (address == nullptr || bytes == 0 || flags > REGISTER_FLAGS) {
        return INVALID_VALUE;
    }
    const Address start = reinterpret_cast<Address>(address);
    const auto after = state.memory.lower_bound(start + bytes);
    if (after != state.memory.begin() && std::prev(after)->first + std::prev(after)->second.size > start) {
        return ALREADY_REGISTERED;
    }
    state.memory[start] = {bytes, current, true, true};
    return SUCCESS;
}

API(cuMemHostUnregister, (void *address), (address)) {
    if (!state.profile.registers) {
        return NOT_SUPPORTED;
    }
    never_returns_if_hung("cuMemHostUnregister");
    const auto found = state.memory.find(reinterpret_cast<Address>(address));
    if (found == state.memory.end() || !found->second.lent) {
        return NOT_REGISTERED;
    }
    state.memory.erase(found);
    return need_context();
}

API(cuMemcpyHtoDAsync_v2, (Address to, const void *from, std::size_t bytes, void *stream), (to, from, bytes, stream)) {
    if (int code = ranged(to, bytes, stream)) {
        return code;
    }
    std::memcpy(pointer(to), from, bytes);
    return SUCCESS;
}

API(cuMemcpyDtoHAsync_v2, (void *to, Address from, std::size_t bytes, void *stream), (to, from, bytes, stream)) {
    if (int code = ranged(from, bytes, stream)) {
        return code;
    }
    std::memcpy(to, pointer(from), bytes);
    return SUCCESS;
}

API(cuMemsetD8Async, (Address address, unsigned char value, std::size_t bytes, void *stream),
    (address, value, bytes, stream)) {
    if (int code = ranged(address, bytes, stream)) {
        return code;
    }
    std::memset(pointer(address), value, bytes);
    return SUCCESS;
}
