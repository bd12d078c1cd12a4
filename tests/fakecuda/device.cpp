// Initialisation, errors' names, the device and its attributes.
#include <cstdio>
#include <cstring>

#include "fakecuda.hpp"

using namespace fake;

namespace {

int initialised() { return state.initialised ? SUCCESS : NOT_INITIALIZED; }

struct Name {
    int code;
    const char *name;
};
const Name NAMES[] = {
    {SUCCESS, "CUDA_SUCCESS"},
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
    {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED"},
    {100, "CUDA_ERROR_NO_DEVICE"},
    {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"},
    {INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
    {NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
    {INVALID_PTX, "CUDA_ERROR_INVALID_PTX"},
    {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
    {NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
    {NOT_READY, "CUDA_ERROR_NOT_READY"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {719, "CUDA_ERROR_LAUNCH_FAILED"},
    {COOPERATIVE_LAUNCH_TOO_LARGE, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"},
    {NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED"},
    {999, "CUDA_ERROR_UNKNOWN"},
};

} // namespace

API(cuInit, (unsigned flags), (flags)) {
    if (flags != 0) {
        return INVALID_VALUE;
    }
    state.initialised = true;
    return SUCCESS;
}

API_SURVIVES(cuDriverGetVersion, (int *version), (version)) {
    *version = state.profile.driver;
    return SUCCESS;
}

API_SURVIVES(cuGetErrorName, (int code, const char **name), (code, name)) {
    for (const Name &known : NAMES) {
        if (known.code == code) {
            *name = known.name;
            return SUCCESS;
        }
    }
    *name = nullptr;
    return INVALID_VALUE;
}

API(cuDeviceGetCount, (int *count), (count)) {
    *count = 1;
    return initialised();
}

API(cuDeviceGet, (int *device, int ordinal), (device, ordinal)) {
    *device = 0;
    return ordinal == 0 ? initialised() : INVALID_DEVICE;
}

API(cuDeviceGetName, (char *name, int length, int device), (name, length, device)) {
    std::snprintf(name, length, "Stub of a GPU (%s)", state.profile.name.c_str());
    return device == 0 ? initialised() : INVALID_DEVICE;
}

API(cuDeviceTotalMem_v2, (std::size_t *bytes, int device), (bytes, device)) {
    *bytes = state.profile.memory;
    return device == 0 ? initialised() : INVALID_DEVICE;
}

API(cuDeviceGetAttribute, (int *value, int attribute, int device), (value, attribute, device)) {
    const Profile &p = state.profile;
    const auto given = state.attributes.find(attribute);
    if (device != 0) {
        return INVALID_DEVICE;
    }
    if (given != state.attributes.end()) {
        *value = given->second;
        return *value < 0 ? INVALID_VALUE : initialised();
    }
    if (attribute < 1 || attribute >= p.attributes) {
        return INVALID_VALUE;
    }
    switch (attribute) {
    case 1: *value = 1024; break;             // threads of a block
    case 8: *value = 49152; break;            // shared memory of a block
    case 10: *value = 32; break;              // warp
    case 16: *value = p.multiprocessors; break;
    case 18: *value = p.integrated; break;
    case 19: *value = 1; break;               // maps host memory
    case 31: *value = 1; break;               // concurrent kernels
    case 39: *value = p.threads; break;       // threads of a multiprocessor
    case 41: *value = 1; break;               // unified addresses
    case 75: *value = p.major; break;
    case 76: *value = p.minor; break;
    case 81: case 82: *value = 65536; break;  // shared memory and registers of a multiprocessor
    case 95: *value = 1; break;               // cooperative launch
    case 99: *value = p.registers; break;     // registers host memory
    default: *value = 0;
    }
    return initialised();
}
