// The table of kernels.
#include "cuda.hpp"

#include "launch.hpp"

#ifdef KERNEL_SOURCES
// The programs of kernels/programs.txt, joined as for NVRTC by tests/emulator/build.rs.
#include KERNEL_SOURCES
#line 11 "kernels.cpp"
#endif

#include "selftest.cu"

namespace {

const emulation::Kernel KERNELS[] = {
#ifdef KERNEL_SOURCES
    KERNEL(detect),             KERNEL(track),              KERNEL(detections),         KERNEL(frame_floor),
    KERNEL(frame_flag),
#endif
    KERNEL(selftest_scan),      KERNEL(selftest_histogram), KERNEL(selftest_pipeline), KERNEL(selftest_warp),
    KERNEL(selftest_votes),     KERNEL(selftest_polling),   KERNEL(selftest_barriers), KERNEL(selftest_defect),
};

} // namespace

namespace emulation {

const Kernel *find_kernel(const char *name) {
    for (const Kernel &kernel : KERNELS) {
        if (__builtin_strcmp(kernel.name, name) == 0) {
            return &kernel;
        }
    }
    return nullptr;
}

void print_abi() {}

} // namespace emulation
