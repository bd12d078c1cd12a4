// Modules from PTX or cubins, checked as a driver of the profile would, and launches, which run the emulated kernels.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../emulation/launch.hpp"
#include "fakecuda.hpp"

using namespace fake;

namespace {

constexpr int REGISTERS = 64; // of a thread: what ptxas counts for the project's kernels

// PTX version, times ten, that a driver of this CUDA version knows at most.
int known_ptx(int driver) {
    const int major = driver / 1000, minor = driver % 1000 / 10;
    if (major == 10) {
        return 65;
    }
    if (major == 11) {
        return 70 + minor;
    }
    if (major == 12) {
        return 80 + (minor < 6 ? minor : minor - 1);
    }
    return 90 + minor;
}

int check_ptx(const char *text, char *log, std::size_t size) {
    const auto say = [&](const char *format, int a, int b) {
        if (log != nullptr) {
            std::snprintf(log, size, format, a / 10, a % 10, b / 10, b % 10);
        }
        return int(INVALID_PTX);
    };
    const char *version = std::strstr(text, ".version "), *target = std::strstr(text, ".target sm_");
    int major = 0, minor = 0;
    if (!version || !target || std::sscanf(version, ".version %d.%d", &major, &minor) != 2) {
        return say("ptxas fatal   : no version or target", 0, 0);
    }
    const int known = known_ptx(state.profile.driver), own = 10 * state.profile.major + state.profile.minor;
    if (10 * major + minor > known) {
        return say("ptxas fatal   : Unsupported .version %d.%d; current version is '%d.%d'", 10 * major + minor, known);
    }
    if (std::atoi(target + 11) > own) {
        return say("ptxas fatal   : SM version specified by .target is higher than default SM version assumed", 0, 0);
    }
    if (std::strstr(text, ".extern .func")) {
        return say("ptxas fatal   : Unresolved extern function", 0, 0);
    }
    return SUCCESS;
}

// Machine code is of one architecture; the file says which, in one of two places, and how long it is.
int check_cubin(const unsigned char *bytes, std::string &text) {
    std::uint32_t flags;
    std::uint64_t sections;
    std::uint16_t size, count;
    std::memcpy(&flags, bytes + 48, sizeof flags);
    std::memcpy(&sections, bytes + 40, sizeof sections);
    std::memcpy(&size, bytes + 58, sizeof size);
    std::memcpy(&count, bytes + 60, sizeof count);
    const unsigned own = 10 * state.profile.major + state.profile.minor;
    if ((flags & 0xff) != own && (flags >> 8 & 0xff) != own) {
        return NO_BINARY_FOR_GPU;
    }
    text.assign(reinterpret_cast<const char *>(bytes), sections + std::size_t(size) * count);
    return SUCCESS;
}

int resident(int threads) {
    const int by_registers = 65536 / (REGISTERS * threads), by_threads = state.profile.threads / threads;
    return by_registers < by_threads ? by_registers : by_threads;
}

int launch(void *function, const unsigned (&grid)[3], const unsigned (&block)[3], unsigned shared, void *stream,
           void **arguments) {
    if (int code = need_context()) {
        return code;
    }
    if (!valid(function, Kind::function) || !valid(stream, Kind::stream)) {
        return INVALID_HANDLE;
    }
    const std::uint64_t threads = std::uint64_t(block[0]) * block[1] * block[2];
    const std::uint64_t blocks = std::uint64_t(grid[0]) * grid[1] * grid[2];
    if (threads == 0 || threads > 1024 || blocks == 0 || shared > 49152 || arguments == nullptr) {
        return INVALID_VALUE;
    }
    Object *queue = static_cast<Object *>(stream);
    catch_up(queue);
    if (state.fault.kind == Fault::hang) {
        queue->hung = true;
    } else if (state.fault.kind == Fault::lose) {
        queue->lost = state.fault.code;
    } else if (!queue->hung) {
        const emulation::Kernel *kernel = emulation::find_kernel(static_cast<Object *>(function)->text.c_str());
        if (kernel == nullptr) {
            return NOT_SUPPORTED;
        }
        const std::string copy(static_cast<const char *>(arguments[0]), kernel->argument_size);
        const uint3 blocks{grid[0], grid[1], grid[2]}, threads{block[0], block[1], block[2]};
        const auto work = [=] {
            emulation::launch(*kernel, blocks, threads, copy.data(), {emulation::Order::forward, 0});
        };
        if (state.fault.kind == Fault::late) {
            queue->late = work;
        } else {
            work();
        }
    }
    return SUCCESS;
}

} // namespace

API(cuModuleLoadDataEx, (void **module, const void *image, unsigned count, int *options, void **values),
    (module, image, count, options, values)) {
    if (int code = need_context()) {
        return code;
    }
    char *log = nullptr;
    std::size_t size = 0;
    for (unsigned i = 0; i < count; ++i) {
        if (options[i] == 5) {
            log = static_cast<char *>(values[i]);
        } else if (options[i] == 6) {
            size = reinterpret_cast<std::uintptr_t>(values[i]) & 0xffffffff;
        }
    }
    std::string text;
    int code;
    if (std::memcmp(image, "\177ELF", 4) == 0) {
        code = check_cubin(static_cast<const unsigned char *>(image), text);
    } else {
        text = static_cast<const char *>(image);
        code = check_ptx(text.c_str(), log, size);
    }
    if (code == SUCCESS) {
        Object *made = make(Kind::module, current);
        made->text = text;
        *module = made;
    }
    return code;
}

API(cuModuleUnload, (void *module), (module)) {
    if (!valid(module, Kind::module)) {
        return INVALID_HANDLE;
    }
    destroy(static_cast<Object *>(module));
    return SUCCESS;
}

API(cuModuleGetFunction, (void **function, void *module, const char *name), (function, module, name)) {
    if (!valid(module, Kind::module)) {
        return INVALID_HANDLE;
    }
    const std::string &text = static_cast<Object *>(module)->text;
    const bool cubin = text[0] == '\177';
    if (text.find(cubin ? ".text." + std::string(name) : ".entry " + std::string(name) + "(") == std::string::npos) {
        return NOT_FOUND;
    }
    // Functions go with the context, as modules do not own them here.
    Object *made = make(Kind::function, current);
    made->text = name;
    *function = made;
    return SUCCESS;
}

API(cuFuncGetAttribute, (int *value, int attribute, void *function), (value, attribute, function)) {
    if (!valid(function, Kind::function)) {
        return INVALID_HANDLE;
    }
    if (attribute < 0 || attribute >= 10) {
        return INVALID_VALUE;
    }
    const int values[10] = {256, 13900, 0, 0, REGISTERS, 65, 62, 0, 49152, -1};
    *value = values[attribute];
    return SUCCESS;
}

API(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, void *function, int threads, std::size_t shared),
    (blocks, function, threads, shared)) {
    if (threads < 1 || threads > 1024 || shared > 49152) {
        return INVALID_VALUE;
    }
    *blocks = resident(threads);
    return valid(function, Kind::function) ? SUCCESS : INVALID_HANDLE;
}

API(cuLaunchKernel,
    (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
     void *stream, void **arguments, void **extra),
    (function, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra)) {
    (void)extra;
    return launch(function, {gx, gy, gz}, {bx, by, bz}, shared, stream, arguments);
}

API(cuLaunchCooperativeKernel,
    (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
     void *stream, void **arguments),
    (function, gx, gy, gz, bx, by, bz, shared, stream, arguments)) {
    const unsigned threads = bx * by * bz;
    const bool sound = threads > 0 && threads <= 1024;
    if (sound && gx * gy * gz > unsigned(resident(int(threads)) * state.profile.multiprocessors)) {
        return COOPERATIVE_LAUNCH_TOO_LARGE;
    }
    return launch(function, {gx, gy, gz}, {bx, by, bz}, shared, stream, arguments);
}
