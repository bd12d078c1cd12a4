"""The tables of docs/tx2_model.md."""

from . import model, rates

BEGIN, END = "<!-- tables: tools/tx2_model.py -->", "<!-- end of tables -->"
UNKNOWN = "not measured"
# sm_62: threads, registers, shared memory (bytes) of a multiprocessor; kernels: threads of a block.
THREADS, REGISTERS, SHARED = 2048, 65536, 65536
BLOCKS = {"detect": 256, "track": 128}


def all_of(counts, registers):
    launches = counts["launches"]
    here = [launch for launch in launches if is_told(launch)]
    where = (f"Counted on {counts['card']}, driver {counts['driver']} (CUDA {counts['cuda']}), {counts['date']}, "
             f"commit {counts['commit']}: `{counts['source']}`, {counts['how']}.")
    parts = [where, times(here, launches), "Warp instructions by file, thousands:", phases(here),
             "Mix on sm_62, %, and what else was measured:", mixes(here),
             "Resident on sm_62:", occupancy(registers)]
    return "\n\n".join(parts)


def is_told(launch):
    """Of the cases with a grid as a TX2's, each once: where points are tracked, detection is as without."""
    if "full card" in launch["case"] or launch["case"] == "16 images":
        return False
    return (launch["case"] == "200 tracks") == (launch["kernel"] == "track")


def table(head, rows):
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])


def name_of(launch):
    return f"`{launch['kernel']}`, {launch['case']}"


def times(here, launches):
    rows = []
    for launch in here:
        used = model.efficiency(launches, launch["kernel"])
        row = [name_of(launch), f"{model.instructions(launch) / 1e6:.2f} M", f"{100 * used:.0f} %"]
        for device in model.DEVICES:
            time = model.time(launch, device, used)
            row.append(f"**{time.predicted:.2f}** ({time.least:.2f} to {time.most:.2f})")
        rows.append(row)
    return table(["launch", "warp instructions", "issue", *(f"{d.name}, ms" for d in model.DEVICES)], rows)


def phases(here):
    files = list(dict.fromkeys(name for launch in here for name in launch["files"]))
    rows = []
    for name in files:
        cells = [launch["files"].get(name, [0])[0] for launch in here]
        if max(cells) >= 1000:
            rows.append([f"`{name}`", *(f"{cell / 1e3:.0f}" if cell else "" for cell in cells)])
    rows.append(["waiting for each other, left out", *(f"{launch['waiting'] / 1e3:.0f}" for launch in here)])
    return table(["file", *(name_of(launch) for launch in here)], rows)


def mixes(here):
    rows = []
    for launch in here:
        counts = model.classes(launch)
        total = sum(counts.values())
        rows.append([name_of(launch), *(f"{100 * counts[name] / total:.1f}" for name in rates.CLASSES),
                     f"{launch['code'][0] / launch['code'][1]:.2f}" if "code" in launch else UNKNOWN,
                     f"{launch['l2_sectors'] * model.SECTOR / 1e6:.2f}" if "l2_sectors" in launch else UNKNOWN])
    return table(["launch", *rates.CLASSES, "code, sm_62 / card", "SM to L2, MB"], rows)


def occupancy(registers):
    """From the lines of kernels/ptx/registers.txt."""
    rows = []
    for kernel, used, stack, spills, shared in registers:
        threads = BLOCKS[kernel]
        blocks = min(THREADS // threads, REGISTERS // (used * threads), SHARED // shared)
        share = 100 * blocks * threads / THREADS
        rows.append([f"`{kernel}`", str(used), str(stack), str(spills), str(shared), str(blocks), f"{share:.0f} %"])
    return table(["kernel", "registers", "stack", "spills", "shared, bytes", "blocks", "threads resident"], rows)


def read_registers(text, compiler="NVRTC 11.8"):
    rows = []
    for line in text.splitlines():
        kernel, *words = line.split()
        if kernel in BLOCKS and compiler in line:
            used, stack, stores, loads, shared = map(int, words[-6:-1])
            rows.append((kernel, used, stack, stores + loads, shared))
    return rows
