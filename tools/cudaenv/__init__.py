"""The CUDA sources of `kernels/` under NVIDIA's own compilers, on a machine without a GPU.

    compilers.py  which NVRTC and ptxas, fetched from PyPI wheels and kept
    wheel.py      single files out of a wheel (runs with the packages of requirements/cuda.txt)
    sources.py    the programs of kernels/, their files joined, the digest of that
    driver.py     one compilation by one libnvrtc (a process of its own)
    ptx.py        what PTX may hold
    registers.py  registers, spills, memory of each kernel as ptxas counts them
    check.py      all programs x compilers x architectures; the files of kernels/ptx/
"""
