"""Card, driver, CUDA versions; how they differ from those that the documents record."""

import json
import re
from pathlib import Path

# The machine that docs/benchmarks/gpu.md speaks of.
RECORDED = Path(__file__).with_name("recorded.json")


def look(run):
    """What is here; a difference is no failure, but is told."""
    first = run.here
    if run.first.status != 0:
        run.fail(f"the first frames: {run.first.outcome()}: {run.first.ending(3)}")
    smi = nvidia_smi(run)
    here = {
        "card": first["device"],
        "driver": smi.get("driver_version", "unknown"),
        "cuda": version(first["driver"]),
        "nvrtc": version(first.get("nvrtc")) or "none",
        "memory": smi.get("memory.total", "unknown"),
        "clock": smi.get("clocks.max.sm", "unknown"),
        "nvcc": tool(run, "nvcc", r"release ([\d.]+)"),
        "ncu": tool(run, "ncu", r"Version ([\d.]+)"),
        "compute_sanitizer": tool(run, "compute-sanitizer", r"Version ([\d.]+)"),
    }
    if first.get("kept_ptx"):
        run.not_checked(f"NVRTC: the kept PTX ran in its place ({', '.join(first['kept_ptx'])})")
    for line in differences(here, json.loads(RECORDED.read_text())):
        run.not_checked(line)
    run.call([run.binary("vio_frontend"), "doctor"], 120)
    return here


def nvidia_smi(run):
    """What it tells of the first card; a Jetson has no such program."""
    path, asked = run.tool("nvidia-smi"), ("driver_version", "memory.total", "clocks.max.sm")
    if not path:
        return {}
    done = run.call([path, f"--query-gpu={','.join(asked)}", "--format=csv,noheader"], 60)
    parts = [part.strip() for part in done.out.splitlines()[0].split(",")] if done.out.strip() else []
    return dict(zip(asked, parts)) if done.status == 0 else {}


def version(pair):
    return ".".join(map(str, pair)) if pair else None


def said(pattern, text):
    found = re.search(pattern, text)
    return found[1] if found else "none"


def tool(run, name, pattern):
    path = run.tool(name)
    return said(pattern, run.call([path, "--version"], 60).out) if path else "none"


def differences(here, recorded):
    """One line for each thing that is not as it was when the documents were written."""
    return [f"recorded figures hold for {name} {value}; here it is {here.get(name)}"
            for name, value in recorded.items() if here.get(name) != value]
