"""Which NVRTC and ptxas, fetched from PyPI wheels on first use and kept beside the ROS 2 prefix."""

import json
import platform
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from ros2env import once
from ros2env.installation import REPOSITORY, made
from ros2env.problem import run

REQUIREMENTS = REPOSITORY / "tools" / "requirements" / "cuda.txt"
WHEEL = Path(__file__).parent / "wheel.py"


@dataclass(frozen=True)
class Tool:
    """One program or library inside one wheel."""

    name: str
    package: str
    version: str
    # End of the wheel's file name: there is one wheel for each platform.
    tag: str
    # Files in the wheel and their SHA-256; the first is the one to run or load.
    files: dict

    def __str__(self):
        return f"{self.name} (package {self.package} {self.version})"


@dataclass(frozen=True)
class Nvrtc:
    """A compiler, the PTX version it writes, and the architectures it is tried for."""

    tool: Tool
    version: str
    isa: str
    architectures: tuple


# 10.2 is what the TX2 has (JetPack 4). No wheel of its own exists; this one carries it for x86-64, with
# what it needs for compute_30, 50, 60, 61, 70 and 75 but not for 53, 62 and 72.
NVRTC_10_2 = Nvrtc(Tool("NVRTC 10.2", "torch", "1.12.1", "-cp37-cp37m-manylinux1_x86_64.whl", {
    "torch/lib/libnvrtc-08c4863f.so.10.2": "dc8f8effe8facf73f849118f29c1479756453b4df67e31c0b6748047adaf0d97",
    "torch/lib/libnvrtc-builtins.so": "aa3dc3c938a275525b387af24150492737c8835bd1afe3b81a6ff6e1bd587b98",
}), "10.2", "6.5", (61,))
NVRTC_11_8 = Nvrtc(Tool("NVRTC 11.8", "nvidia-cuda-nvrtc-cu11", "11.8.89", "manylinux2014_x86_64.whl", {
    "nvidia/cuda_nvrtc/lib/libnvrtc.so.11.2": "6960d05ae43a3e335e2d26f325db48bf7843c22ba4f40540ba7d0090597030c5",
    "nvidia/cuda_nvrtc/lib/libnvrtc-builtins.so.11.8":
        "2dc4bf687034e89e117ef82fb300291e4833319a2d47722005d40eeafbafdaaf",
}), "11.8", "7.8", (62, 72, 87))
NVRTC_12_9 = Nvrtc(Tool("NVRTC 12.9", "nvidia-cuda-nvrtc-cu12", "12.9.86", "manylinux_2_12_x86_64.whl", {
    "nvidia/cuda_nvrtc/lib/libnvrtc.so.12": "7c67c6b51ea0e0279634cebd676ff7efda1674806444520c84430ad5c35fe625",
    "nvidia/cuda_nvrtc/lib/libnvrtc-builtins.so.12.9":
        "6507cf33450cfb22970c2c1e7aa8e7c0a33e39d864720277b05f61a92791e2e8",
}), "12.9", "8.8", (62, 72, 87, 90))
NVRTC_13_5 = Nvrtc(Tool("NVRTC 13.5", "nvidia-cuda-nvrtc", "13.5.37", "manylinux_2_12_x86_64.whl", {
    "nvidia/cu13/lib/libnvrtc.so.13": "98a317ff5d2176dee5a04235c6663f8d553d5ed95b3104cbf7fb198cbf76a10d",
    "nvidia/cu13/lib/libnvrtc-builtins.so.13.5":
        "6cecb2fd3e562bab1cb1c6e192f8f828157683c8febb22a00e178f9faf4e7f6a",
}), "13.5", "9.5", (75, 87, 90))
COMPILERS = (NVRTC_10_2, NVRTC_11_8, NVRTC_12_9, NVRTC_13_5)
PTXAS = Tool("ptxas 11.8", "nvidia-cuda-nvcc-cu11", "11.8.89", "manylinux2014_x86_64.whl", {
    "nvidia/cuda_nvcc/bin/ptxas": "c0ad17863f2b18bba806c39381977df75ff5f255855ddaed44f0e7206dc69166",
})

# Shows machine code, that of sm_62 too; NVIDIA has no wheel of it alone.
NVDISASM = Tool("nvdisasm 12.4", "triton", "3.0.0", "-1-cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64.whl", {
    "triton/backends/nvidia/bin/nvdisasm": "af0a3b5be57130ecf050a310767d354a4c730b30a3bf3b88c100dc3c9bcbebea",
})


def unavailable():
    """Why the compilers cannot run on this machine, or None."""
    machine, libc = platform.machine(), platform.libc_ver()[0]
    if sys.platform == "linux" and machine == "x86_64" and libc == "glibc":
        return None
    return f"the compilers are pinned for x86-64 Linux with glibc, this is {machine} {sys.platform} {libc}"


def ensure(tool, say, home=None):
    """Path of the tool's first file; fetches it unless it is there already."""
    shared = made() / "cuda"
    folder = (home or shared) / tool.name.lower().replace(" ", "-")

    def make(folder):
        say(f"fetching {tool}")
        command = [sys.executable, WHEEL, packages(shared, say), json.dumps(asdict(tool)), folder]
        run(command, f"{tool} could not be fetched")

    once.ensure(folder, [json.dumps(asdict(tool))], make)
    return folder / Path(next(iter(tool.files))).name


def packages(home, say):
    """The Python packages that read wheels from afar, apart from everything else's."""
    folder = home / "packages"

    def make(folder):
        say("installing what reads single files of a wheel")
        run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", folder,
             "-r", REQUIREMENTS], "the packages remotezip and pypi-simple could not be installed")

    once.ensure(folder, [str(folder), sys.version, REQUIREMENTS.read_text()], make)
    return folder
