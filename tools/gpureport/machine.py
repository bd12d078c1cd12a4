"""Card, driver, CUDA versions; how they differ from those that the documents record."""

import json
import re
from pathlib import Path

from .run import Problem

# The machine that docs/benchmarks/gpu.md speaks of.
RECORDED = Path(__file__).with_name("recorded.json")


def look(run):
    """What is here; a difference is no failure, but is told."""
    query = run.call(["nvidia-smi", "--query-gpu=name,driver_version,memory.total,clocks.max.sm",
                      "--format=csv,noheader"], 60)
    card, driver, memory, clock = parse_query(query.out)
    smi = run.call(["nvidia-smi"], 60).out
    campaign = run.call([run.binary("gpu_campaign"), "--few", "--cases", "1", "random"], 120)
    if not campaign.out.startswith("{"):
        raise Problem(f"no GPU that can be opened: {campaign.ending(3)}")
    first = json.loads(campaign.out.splitlines()[0])
    if campaign.status != 0:
        run.fail(f"the first frames: {campaign.outcome()}: {campaign.ending(3)}")
    here = {
        "card": card,
        "driver": driver,
        "cuda": version(first.get("driver")) or said(r"CUDA Version: *([\d.]+)", smi),
        "nvrtc": version(first.get("nvrtc")) or "none",
        "memory": memory,
        "clock": clock,
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


def parse_query(text):
    parts = [part.strip() for part in text.splitlines()[0].split(",")] if text.strip() else []
    if len(parts) != 4:
        raise ValueError(f"nvidia-smi said {text.strip()!r}")
    return parts


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
