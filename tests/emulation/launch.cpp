// `emulate`: launches kernels for another process, over stdin and stdout. All numbers little-endian.
//
//   request  u32 length, kernel name; u32[3] grid; u32[3] block
//            u32 order (0 forward, 1 reverse, 2 random), u64 seed
//            u32 buffers, each u64 size, bytes
//            u32 size, argument bytes
//            u32 relocations, each u32 place (a buffer, or 0xffffffff: the arguments), u64 offset,
//                                  u32 target buffer, u64 offset in the target
//   reply    u32 0, then the bytes of all buffers; or u32 1, u32 length, what is wrong with the request
//
// A relocation writes the target's address. Each buffer is an allocation of exactly its size, at 256 bytes' alignment
// as CUDA's are. A kernel that fails ends the process: status 3, 66 from a sanitizer, or a signal; stderr says why.
#include "launch.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using emulation::Kernel;

constexpr std::uint32_t ARGUMENTS = 0xffffffff;
// A launch that takes longer than this many seconds is taken for one that polls in vain; SIGALRM ends it.
constexpr unsigned LIMIT = 600;

std::FILE *replies;

bool read(void *bytes, std::size_t size) { return std::fread(bytes, 1, size, stdin) == size; }

template <class T> T number() {
    T value;
    if (!read(&value, sizeof value)) {
        std::fputs("emulate: the request ends early\n", stderr);
        std::exit(2);
    }
    return value;
}

std::string text() {
    std::string s(number<std::uint32_t>(), '\0');
    if (!s.empty() && !read(&s[0], s.size())) {
        std::exit(2);
    }
    return s;
}

void write(const void *bytes, std::size_t size) { std::fwrite(bytes, 1, size, replies); }

struct Buffer {
    char *bytes;
    std::size_t size;
};

struct Request {
    std::string kernel;
    uint3 grid, block;
    emulation::Schedule schedule;
    std::vector<Buffer> buffers;
    std::string arguments;
};

uint3 size3() {
    uint3 size;
    size.x = number<std::uint32_t>();
    size.y = number<std::uint32_t>();
    size.z = number<std::uint32_t>();
    return size;
}

void relocate(Request &request, std::string &problem) {
    const std::uint32_t place = number<std::uint32_t>();
    const std::uint64_t offset = number<std::uint64_t>();
    const std::uint32_t target = number<std::uint32_t>();
    const std::uint64_t target_offset = number<std::uint64_t>();
    const bool known = target < request.buffers.size() && (place == ARGUMENTS || place < request.buffers.size());
    if (!known) {
        problem = "a relocation names an unknown buffer";
        return;
    }
    char *bytes = place == ARGUMENTS ? &request.arguments[0] : request.buffers[place].bytes;
    const std::size_t size = place == ARGUMENTS ? request.arguments.size() : request.buffers[place].size;
    if (size < sizeof(char *) || offset > size - sizeof(char *) || target_offset > request.buffers[target].size) {
        problem = "a relocation at " + std::to_string(offset) + " lies outside its " + std::to_string(size) + " bytes";
        return;
    }
    const char *address = request.buffers[target].bytes + target_offset;
    std::memcpy(bytes + offset, &address, sizeof address);
}

Request read_request(std::uint32_t name_length, std::string &problem) {
    Request request;
    request.kernel.resize(name_length);
    if (!read(&request.kernel[0], name_length)) {
        std::exit(2);
    }
    request.grid = size3();
    request.block = size3();
    const std::uint32_t order = number<std::uint32_t>();
    request.schedule = {emulation::Order(order), number<std::uint64_t>()};
    if (order > 2) {
        problem = "unknown order";
    }
    for (std::uint32_t left = number<std::uint32_t>(); left > 0; --left) {
        const std::size_t size = number<std::uint64_t>();
        void *bytes = nullptr;
        if (posix_memalign(&bytes, 256, size) != 0 || !read(bytes, size)) {
            std::fputs("emulate: no memory for a buffer, or the request ends early\n", stderr);
            std::exit(2);
        }
        request.buffers.push_back({static_cast<char *>(bytes), size});
    }
    request.arguments = text();
    for (std::uint32_t left = number<std::uint32_t>(); left > 0; --left) {
        relocate(request, problem);
    }
    return request;
}

void serve(std::uint32_t name_length) {
    std::string problem;
    Request request = read_request(name_length, problem);
    const Kernel *kernel = emulation::find_kernel(request.kernel.c_str());
    if (kernel == nullptr) {
        problem = "no kernel is called " + request.kernel;
    } else if (kernel->argument_size != request.arguments.size()) {
        problem = request.kernel + " takes " + std::to_string(kernel->argument_size) + " bytes of arguments, not " +
                  std::to_string(request.arguments.size());
    }
    const std::uint32_t failed = !problem.empty();
    if (failed) {
        const std::uint32_t length = std::uint32_t(problem.size());
        write(&failed, sizeof failed);
        write(&length, sizeof length);
        write(problem.data(), length);
    } else {
        alarm(LIMIT);
        emulation::launch(*kernel, request.grid, request.block, request.arguments.data(), request.schedule);
        alarm(0);
        write(&failed, sizeof failed);
    }
    for (const Buffer &buffer : request.buffers) {
        if (!failed) {
            write(buffer.bytes, buffer.size);
        }
        std::free(buffer.bytes);
    }
    std::fflush(replies);
}

} // namespace

int main(int count, char **arguments) {
    if (count == 2 && std::strcmp(arguments[1], "--abi") == 0) {
        emulation::print_abi();
        return 0;
    }
    // What a kernel prints must not mix with the replies.
    replies = fdopen(dup(STDOUT_FILENO), "wb");
    if (replies == nullptr || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        return 2;
    }
    emulation::explain_death();
    std::uint32_t name_length;
    while (read(&name_length, sizeof name_length)) {
        serve(name_length);
    }
    return 0;
}
