// The table of kernels. Sources come in the order in which NVRTC gets them joined.
#include "cuda.hpp"

#include "launch.hpp"

#if __has_include("abi.cuh")
#include "abi.cuh"
#include "common.cuh"
#include "detect.cu"
#endif

#include "selftest.cu"

namespace {

const emulation::Kernel KERNELS[] = {
#if __has_include("abi.cuh")
    KERNEL(detect),
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
