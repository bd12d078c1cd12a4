"""What the check of the CUDA sources lets pass and what it names. Needs the compilers, no GPU.

    python3 -m pytest tests/compilers
"""

from dataclasses import replace

import pytest
from cudaenv import check, compilers, registers, sources
from ros2env.problem import Problem

# What a line with a mistake in it is put into, and the name and line at which the compiler sees it.
BODY = """\
extern "C" __global__ void wrong(u32* out, float* real) {
    %s
    out[0] = 1;
}
"""


def test_a_sound_kernel_passes_in_every_compiler_once_its_files_are_made(kernels):
    fine, said = kernels.check(compilers.COMPILERS, renew=True)
    assert fine, said
    assert [line for line in said.splitlines() if line.startswith("NVRTC")] == [
        line for line in said.splitlines() if "PTX ISA" in line]
    assert said.count("PTX ISA") == 1 + 3 + 4 + 3
    again, said = kernels.check(compilers.COMPILERS)
    assert again, said
    kept = (kernels.folder / "ptx" / "sums.ptx").read_text()
    assert ".version 6.5" in kept and ".target sm_61" in kept
    table = (kernels.folder / "ptx" / "registers.txt").read_text()
    assert len([line for line in table.splitlines() if line.startswith("sums ") and " 1024 " in line]) == 2


@pytest.mark.parametrize("line, named", [
    ("out[1] = __dp4a(out[1], out[2], out[3]);", ".extern .func"),
    ("real[0] = fmaf(real[1], real[2], real[3]);", "fma.rn.f32"),
    ("real[0] = fma(double(real[1]), double(real[2]), double(real[3]));", "fma.rn.f64"),
    ("real[0] = __fdividef(real[1], real[2]);", "div.approx"),
    ("const u32 idle = 3;", 'wrong.cuh(2): warning: variable "idle" was declared but never referenced'),
    ("out[1] = unheard_of;", 'wrong.cuh(2): error: identifier "unheard_of" is undefined'),
    # PTX that the compiler writes and the TX2 has no instruction for.
    ('asm volatile("st.release.gpu.global.u32 [%0], %1;" :: "l"(out), "r"(1u) : "memory");', "requires .target sm_70"),
])
def test_a_line_that_must_not_be_is_named(kernels, line, named):
    kernels.write("wrong.cuh", BODY.replace("%s", line))
    kernels.write("programs.txt", "sums: abi.cuh wrong.cuh sums.cu\n")
    fine, said = kernels.check(renew=True)
    assert not fine and named in said, said


def test_an_include_is_refused_with_file_and_line(kernels):
    kernels.write("sums.cu", "\n#include <cstdint>\n" + (kernels.folder / "sums.cu").read_text())
    fine, said = kernels.check()
    assert not fine and 'sums.cu(2): catastrophic error: cannot open source file "cstdint"' in said, said


def test_a_warning_of_a_later_compiler_is_a_problem_but_its_notice_of_old_architectures_is_not(kernels):
    old = (replace(compilers.NVRTC_12_9, architectures=(62,)), compilers.NVRTC_10_2)
    fine, said = kernels.check(old, renew=True)
    assert fine and "deprecated" not in said, said
    kernels.write("sums.cu", "__device__ void f() { u32 idle; }\n" + (kernels.folder / "sums.cu").read_text())
    fine, said = kernels.check(old)
    assert not fine and "sums.cu(1): warning #177-D" in said and "deprecated" not in said, said


@pytest.mark.parametrize("limit, named", [
    ({"registers": 4}, "registers"), ({"shared": 1023}, "shared 1024, limit 1023")])
def test_more_than_a_limit_is_named_with_the_kernel(kernels, limit, named):
    kernels.check(renew=True)
    fine, said = kernels.check(limits=replace(registers.LIMITS, **limit))
    assert not fine and f"kernel sums: {named}" in said, said


def test_an_array_in_local_memory_is_refused(kernels):
    kernels.write("sums.cu", """extern "C" __global__ void local(u32* out) {
    u32 words[32] = {};
    for (u32 i = 0; i < 99; ++i) words[out[i] % 32] += i;
    out[0] = words[out[99] % 32];
}
""")
    fine, said = kernels.check(renew=True)
    assert not fine and "kernel local: stack 128, limit 0" in said, said


def test_what_is_out_of_date_is_named_with_the_command_that_renews_it(kernels):
    kernels.check(renew=True)
    kernels.write("abi.cuh", (kernels.folder / "abi.cuh").read_text() + "// another digest\n")
    fine, said = kernels.check()
    assert not fine and "sums.ptx is out of date. Renew it: python3 tools/nvrtc.py check --renew" in said, said
    assert "registers.txt is" not in said
    assert kernels.check(renew=True)[0] and kernels.check()[0]

    table = kernels.folder / "ptx" / "registers.txt"
    table.write_text(table.read_text().replace(" 1024 ", " 1020 "))
    fine, said = kernels.check()
    assert not fine and "registers.txt is out of date. Renew it: python3 tools/nvrtc.py check --renew" in said, said
    assert "+sums" in said and "-sums" in said

    (kernels.folder / "ptx" / "sums.ptx").unlink()
    kernels.write("ptx/gone.ptx", "")
    fine, said = kernels.check()
    assert "sums.ptx is missing. Make it" in said and "gone.ptx is of no program: remove it" in said, said


def test_a_program_that_does_not_compile_changes_no_kept_file(kernels):
    kernels.check(renew=True)
    before = {p.name: p.read_text() for p in (kernels.folder / "ptx").iterdir()}
    kernels.write("sums.cu", "nonsense\n")
    fine, said = kernels.check(renew=True)
    assert not fine and "sums.cu(1): error" in said, said
    assert before == {p.name: p.read_text() for p in (kernels.folder / "ptx").iterdir()}


def test_the_join_and_its_digest_are_what_the_readme_says(tmp_path):
    (tmp_path / "a.cuh").write_text("int a;\n")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c.cu").write_text("int c;\n")
    (tmp_path / "programs.txt").write_text("first: a.cuh b/c.cu\n\nsecond: a.cuh\n")
    first, second = sources.programs(tmp_path)
    assert (first.name, first.text) == ("first", '#line 1 "a.cuh"\nint a;\n#line 1 "b/c.cu"\nint c;\n')
    assert (second.name, second.text) == ("second", '#line 1 "a.cuh"\nint a;\n')
    # crc32 of "--std=c++14 --fmad=false --gpu-architecture=compute_61\n" and the text above
    assert first.digest(61) == "4b3463f6"
    assert first.digest(62) != first.digest(61) != second.digest(61)


@pytest.mark.parametrize("name, content, named", [
    ("programs.txt", "sums: abi.cuh none.cuh sums.cu\n", "none.cuh, which cannot be read: No such file"),
    ("programs.txt", "sums abi.cuh\n", "`sums abi.cuh` is not `NAME: FILE ...`"),
    ("programs.txt", "sums: abi.cuh\n", "sums.cu is in no program"),
    ("more/idle.cuh", "\n", "idle.cuh is in no program"),
    ("abi.cuh", "typedef unsigned int u32;", "abi.cuh does not end with a line end"),
    ("abi.cuh", "// 3 \N{MICRO SIGN}s\n", "abi.cuh is not ASCII"),
])
def test_a_wrong_list_of_sources_is_named(kernels, name, content, named):
    kernels.write(name, content)
    with pytest.raises(Problem, match=named.replace("(", "\\(").replace("`", ".")):
        kernels.check()


def test_a_program_without_a_kernel_is_named(kernels):
    kernels.write("sums.cu", "\n")
    fine, said = kernels.check(renew=True)
    assert not fine and "compute_61 sums: FAILED\n    no kernel in it" in said, said


def test_no_kernels_are_said_to_be_none(tmp_path, capsys):
    assert check.check(tmp_path, lambda text: None)
    assert "no kernels to compile" in capsys.readouterr().out


def test_all_memory_that_ptxas_lists_is_counted():
    said = """\
ptxas info    : 64 bytes gmem, 16 bytes cmem[3]
ptxas info    : Compiling entry function 'one' for 'sm_62'
ptxas info    : Function properties for one
    8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Function properties for callee
    24 bytes stack frame, 0 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 40 registers, 14336 bytes smem, 344 bytes cmem[0], 8 bytes cmem[2]
ptxas info    : Compiling entry function 'two' for 'sm_62'
ptxas info    : Function properties for two
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 6 registers, 320 bytes cmem[0]
"""
    assert registers.parse(said) == {"one": registers.Use(40, 32, 12, 20, 14336, 352),
                                     "two": registers.Use(6, 0, 0, 0, 0, 320)}
