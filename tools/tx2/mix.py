"""The machine code of the kernels for sm_62: how many instructions of each class every line has."""

import re
import subprocess
import tempfile
from pathlib import Path

from cudaenv import compilers, driver, sources

from . import rates

ARCHITECTURE = 62
LINE = re.compile(r'//## File "([^"]+)", line (\d+)')
# `/*0008*/  @!P0 IADD3.X R1, ...`; the words between that schedule three instructions have no name.
INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+ )?\{?\s*([A-Z][A-Z0-9_.]*)")


def of(kernels, name, say):
    """{`file:line`: {class: instructions}} of a program."""
    program = next(p for p in sources.programs(kernels) if p.name == name)
    library = compilers.ensure(compilers.NVRTC_11_8.tool, say)
    options = [*sources.options(ARCHITECTURE), "--generate-line-info"]
    status, log, ptx = driver.compile(library, options, program.text)
    if status != 0:
        raise ValueError(f"{name} does not compile: {log}")
    with tempfile.TemporaryDirectory() as folder:
        cubin = Path(folder) / "kernel.cubin"
        subprocess.run([compilers.ensure(compilers.PTXAS, say), f"-arch=sm_{ARCHITECTURE}", "-lineinfo", "-o", cubin,
                        "/dev/stdin"], input=ptx.encode(), check=True)
        done = subprocess.run([compilers.ensure(compilers.NVDISASM, say), "-g", "-c", cubin], check=True,
                              capture_output=True, text=True)
    return parse(done.stdout, Path(kernels))


def parse(text, kernels):
    lines, at = {}, None
    for row in text.splitlines():
        if found := LINE.search(row):
            at = f"{relative(found[1], kernels)}:{found[2]}"
        elif found := INSTRUCTION.search(row):
            if found[1] == "NOP":
                continue
            counts = lines.setdefault(at or "unknown:0", dict.fromkeys(rates.CLASSES, 0))
            counts[rates.rate(found[1])] += 1
    return lines


def relative(file, kernels):
    """As `#line` names it: compilers put the folder where they ran before it."""
    parts = Path(file).parts
    return next((name for k in range(len(parts)) if (kernels / (name := "/".join(parts[k:]))).is_file()), file)
