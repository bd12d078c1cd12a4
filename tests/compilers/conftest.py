"""A folder of kernels that passes, for the tests to spoil."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from cudaenv import check, compilers  # noqa: E402

ABI = """\
typedef unsigned int u32;
struct Args { u32* out; u32 count; };
static_assert(sizeof(Args) == 16, "layout of Args");
"""
KERNEL = """\
extern "C" __global__ void __launch_bounds__(256) sums(const Args args) {
    __shared__ u32 words[256];
    words[threadIdx.x] = args.out[threadIdx.x];
    __syncthreads();
    u32 sum = words[255 - threadIdx.x] * args.count;
    for (u32 step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xFFFFFFFFu, sum, step);
    args.out[threadIdx.x] = sum;
}
"""


class Kernels:
    """A folder of sources, and what `check` says about it."""

    def __init__(self, folder, capsys):
        self.folder, self.capsys = folder, capsys
        self.write("abi.cuh", ABI)
        self.write("sums.cu", KERNEL)
        self.write("programs.txt", "# a comment\nsums: abi.cuh sums.cu\n")

    def write(self, name, text):
        (self.folder / name).parent.mkdir(exist_ok=True)
        (self.folder / name).write_text(text)

    def check(self, matrix=(compilers.NVRTC_10_2,), **options):
        """(whether all is well, everything printed)."""
        fine = check.check(self.folder, lambda text: None, matrix=matrix, **options)
        return fine, self.capsys.readouterr().out


@pytest.fixture
def kernels(tmp_path, capsys):
    missing = compilers.unavailable()
    if missing:
        pytest.skip(missing)
    return Kernels(tmp_path, capsys)
