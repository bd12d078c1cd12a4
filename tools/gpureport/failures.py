"""Kernels that fault or hang, memory that runs out: the CPU takes the frame, and the run is the CPU's, bit by bit."""

import re
import shutil

from . import frontend
from .run import ROOT

LIMIT_S = 120
# By the number of the launch, of both kernels together, so that no clock decides which frame it is.
FAULTS = {
    "fault": 'if (args.frame >= 60) asm volatile("trap;");',
    "illegal address": "if (args.frame >= 60) *reinterpret_cast<volatile u32*>(16) = 1;",
    "endless": "if (args.frame >= 60) for (volatile int i = 0; i < 2; i = 0) {}",
}
MARK = "clear_counters(args);\n    load_pyramid"
TOLD = re.compile(r"frame \d+|memory|on the GPU|at the end")


def survive(run):
    """What each says; a full memory first and alone, kernels that do not end last, for both are felt by others."""
    words = {}
    for names in (("memory",), ("trap", "fault", "illegal address"), ("hang", "endless")):
        words |= zip(names, run.together(lambda name: one(run, name), names))
    return words


def one(run, name):
    return fault(run, name, FAULTS[name]) if name in FAULTS else live(run, name)


def live(run, what):
    """A stream on both devices, frame by frame."""
    done = run.call([run.binary("gpu_live"), what, "synth:room"], LIMIT_S)
    if done.status != 0 or "every frame equal in every bit" not in done.out:
        run.fail(f"gpu_live {what}: {done.outcome()}: {done.ending(3)}")
    # A kernel that fails must have been met.
    if what in ("trap", "hang") and "finished on the CPU" not in done.out:
        run.fail(f"gpu_live {what}: no frame was finished on the CPU")
    return "; ".join(line for line in done.out.splitlines() if TOLD.match(line)) or done.ending(1)


def fault(run, what, text):
    """A whole run whose kernel fails in its midst, compared with the CPU's."""
    name = f"replay_{what.replace(' ', '_')}"
    folder = run.scratch / name
    shutil.copytree(ROOT / "kernels", folder)
    kernel = folder / "detect.cu"
    source = kernel.read_text()
    if source.count(MARK) != 1:
        run.fail(f"{what}: kernels/detect.cu has no place for it")
        return "not tried"
    kernel.write_text(source.replace(MARK, f"{text}\n    {MARK}"))
    params = run.scratch / f"{name}.yaml"
    params.write_text(f"/**:\n  ros__parameters:\n    kernels_dir: {folder}\n")
    word, said = frontend.pair(run, "synth:corridor", name, params)
    fallbacks = [line.strip() for line in said.splitlines() if "finished on the CPU" in line]
    if not fallbacks:
        run.fail(f"{what}: no frame was finished on the CPU")
    return f"replay: {word}; {fallbacks[0] if fallbacks else 'never on the CPU'}"
