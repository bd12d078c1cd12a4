"""All programs x compilers x architectures, and the files of kernels/ptx/ that come out of it."""

import difflib
import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from . import compilers, driver, ptx, registers, sources

RENEW = "python3 tools/nvrtc.py check --renew"
# Said by 12.9 of every architecture before 75, whatever the source.
DEPRECATED = re.compile(r"^nvrtc: warning: Architectures prior to '<compute/sm>_75' are deprecated.*\n?", re.MULTILINE)
TABLE = "registers.txt"
# The PTX that is kept: loads on everything from the TX2 on.
KEPT = compilers.NVRTC_10_2
# Whose PTX is assembled for the table: the kept one's, and what the TX2's successors would compile for it.
ASSEMBLED = ((compilers.NVRTC_10_2, 61), (compilers.NVRTC_11_8, 62))


@dataclass(frozen=True)
class Outcome:
    """One program by one compiler for one architecture."""

    program: sources.Program
    nvrtc: compilers.Nvrtc
    architecture: int
    ptx: str
    problems: list

    @property
    def title(self):
        return f"NVRTC {self.nvrtc.version} compute_{self.architecture} {self.program.name}"


def compile_one(program, nvrtc, architecture, library):
    """Compiles; warnings are problems."""
    status, log, text = driver.compile(library, sources.options(architecture), program.text)
    log = DEPRECATED.sub("", log).strip()
    if status != 0:
        return Outcome(program, nvrtc, architecture, "", [log or f"the compiler ended with {status} and said nothing"])
    return Outcome(program, nvrtc, architecture, text,
                   ([log] if log else []) + ptx.problems(text, nvrtc.isa, architecture))


def compile_all(programs, say, matrix=compilers.COMPILERS):
    """Every outcome, in the order of the matrix."""
    libraries = {nvrtc.version: compilers.ensure(nvrtc.tool, say) for nvrtc in matrix}
    jobs = [(p, n, a, libraries[n.version]) for p in programs for n in matrix for a in n.architectures]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda job: compile_one(*job), jobs))


def kept_text(program, text):
    """The file of kernels/ptx/: what the compiler wrote, after a line with the digest of what it was given."""
    return f"// CRC-32 of options and sources: {program.digest(KEPT.architectures[0])}\n{text}"


def drift(path, wanted):
    """What is wrong with a file that should hold this text."""
    try:
        held = path.read_bytes().decode(errors="replace")
    except OSError:
        return [f"{path} is missing. Make it: {RENEW}"]
    if held == wanted:
        return []
    lines = list(difflib.unified_diff(held.splitlines(), wanted.splitlines(), "kept", "made now", lineterm="", n=0))
    rest = [f"... {len(lines) - 20} lines more"] if len(lines) > 20 else []
    return ["\n".join([f"{path} is out of date. Renew it: {RENEW}", *lines[:20], *rest])]


def check(kernels, say, renew=False, limits=registers.LIMITS, matrix=compilers.COMPILERS):
    """Compiles, assembles, compares or renews. Prints a line each; returns whether all is well."""
    programs = sources.programs(kernels)
    if not programs:
        print(f"{kernels} has no {sources.LIST}: no kernels to compile")
        return True
    outcomes = compile_all(programs, say, matrix)
    wrong = [_report(o.title, f"PTX ISA {o.nvrtc.isa}, {len(o.ptx)} bytes", o.problems) for o in outcomes]
    table, too_much = _assemble([o for o in outcomes if (o.nvrtc, o.architecture) in ASSEMBLED], say, limits)

    # Of a program that does not compile nothing is kept or compared: it has its own message.
    files = {f"{o.program.name}.ptx": kept_text(o.program, o.ptx)
             for o in outcomes if o.nvrtc is KEPT and not o.problems}
    files |= {TABLE: table} if table else {}
    folder = kernels / "ptx"
    if renew:
        folder.mkdir(exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text)
    problems = [p for name, text in files.items() for p in drift(folder / name, text)]
    names = {f"{p.name}.ptx" for p in programs}
    problems += [f"{p} is of no program: remove it" for p in sorted(folder.glob("*.ptx")) if p.name not in names]
    return not any([*wrong, *too_much, _report(str(folder), f"{len(files)} files as made now", problems)])


def _assemble(outcomes, say, limits):
    """(the table, or None where a kernel is missing from it; whether each failed). Prints all of it."""
    ptxas, rows, wrong, complete = compilers.ensure(compilers.PTXAS, say), [], [], True
    for o in outcomes:
        if not o.ptx:
            complete = False
            continue
        uses, problems = registers.assemble(ptxas, o.ptx)
        complete &= bool(uses)
        rows += [(kernel, f"NVRTC {o.nvrtc.version} compute_{o.architecture}", use) for kernel, use in uses.items()]
        problems += [f"kernel {kernel}: {column}" for kernel, use in uses.items()
                     for column in registers.over(use, limits)]
        wrong.append(_report(f"ptxas {registers.NAME} of {o.title}", f"{len(uses)} kernel(s)", problems))
    text = registers.table(rows, registers.LIMITS)
    print(text, end="")
    return (text if complete else None), wrong


def _report(title, fine, problems):
    """Prints one line, or what is wrong. Returns whether something is."""
    print(f"{title}: {'FAILED' if problems else fine}")
    for problem in problems:
        print("    " + problem.replace("\n", "\n    "))
    return bool(problems)
