"""Registers, spills and memory of each kernel, as ptxas counts them for the TX2 (sm_62)."""

import re
import subprocess
from dataclasses import astuple, dataclass

NAME = "sm_62"
COLUMNS = ("registers", "stack", "spill st", "spill ld", "shared", "constant")


@dataclass(frozen=True)
class Use:
    """Registers a thread, the rest in bytes: stack and spills a thread, shared memory a block."""

    registers: int
    stack: int = 0
    spill_stores: int = 0
    spill_loads: int = 0
    shared: int = 0
    constant: int = 0


# sm_62 has 64 KB of shared memory and 64 Ki registers for four blocks of 256 threads: 50 % of its threads.
LIMITS = Use(registers=64, stack=0, spill_stores=0, spill_loads=0, shared=16384, constant=4096)


def assemble(ptxas, ptx):
    """({kernel: Use}, problems) of one PTX text."""
    done = subprocess.run([ptxas, "-v", f"-arch={NAME}", "-o", "/dev/null", "/dev/stdin"],
                          input=ptx, capture_output=True, text=True, timeout=600)
    said = done.stdout + done.stderr
    wrong = [line for line in said.splitlines() if re.search(r"\b(warning|error|fatal)\b", line)]
    if done.returncode != 0 and not wrong:
        wrong = [f"ptxas ended with {done.returncode}: {said.strip()}"]
    uses = {} if wrong else parse(said)
    return uses, wrong or ([] if uses else ["no kernel in it"])


def parse(said):
    """Reads `ptxas -v`. The stack of a function that is not inlined counts for the kernels before it."""
    uses = {}
    for part in re.split(r"Compiling entry function ", said)[1:]:
        frames = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", part)
        stack, stores, loads = (sum(map(int, column)) for column in zip(*frames))
        used = re.search(r"Used (\d+) registers.*", part)
        memory = {name: sum(map(int, re.findall(rf"(\d+) bytes {name}", used[0]))) for name in ("smem", "cmem")}
        uses[re.match(r"'([^']+)'", part)[1]] = Use(int(used[1]), stack, stores, loads, memory["smem"], memory["cmem"])
    return uses


def over(use, limits):
    """The columns in which a kernel uses more than it may."""
    return [f"{column} {value}, limit {limit}"
            for column, value, limit in zip(COLUMNS, astuple(use), astuple(limits)) if value > limit]


def table(rows, limits):
    """The text of registers.txt; rows are (kernel, compiler, Use)."""
    cells = [("kernel", "PTX of", *COLUMNS),
             *((kernel, compiler, *map(str, astuple(use))) for kernel, compiler, use in rows),
             ("limit", "", *map(str, astuple(limits)))]
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines = ["  ".join(c.ljust(w) if i < 2 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))).rstrip()
             for row in cells]
    return "\n".join([
        f"# What ptxas 11.8 counts for {NAME} in the PTX of two compilers: registers, and bytes of stack and spills, a",
        "# thread; bytes of shared memory a block; bytes of constant memory. To renew:",
        "#     python3 tools/nvrtc.py check --renew",
        *lines, ""])
