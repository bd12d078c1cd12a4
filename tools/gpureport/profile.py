"""What each launch costs, by Nsight Compute: warp instructions by line of the sources, issue, traffic, time.

The figures are what tools/tx2_model.py records. Nsight Compute's own Python module reads its files.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

SOURCE = "synth:room"
LIMIT_S = 100
METRICS = {
    "warp_instructions": "smsp__inst_executed.sum",
    "issue_active": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "l2_sectors": "lts__t_sectors_srcunit_tex.sum",
    "time_ns": "gpu__time_duration.sum",
    "registers": "launch__registers_per_thread",
    "blocks": "launch__grid_size",
}


def measure(run):
    """One row for each launch that counts."""
    ncu = run.tool("ncu")
    if not ncu:
        run.not_checked("profile: ncu is not installed")
        return None
    written = run.out / "profile.ncu-rep"
    command = [ncu, "--kernel-name", "regex:^(detect|track)$", "--section", "SourceCounters", "--metrics",
               ",".join(METRICS.values()), "-f", "-o", written, run.binary("gpu_profile"), SOURCE]
    done = run.call(command, LIMIT_S)
    launches = [json.loads(line) for line in done.out.splitlines() if line.startswith('{"')]
    if done.status != 0 or not launches:
        run.fail(f"profile: {done.outcome()}: {done.ending(3)}")
        return None
    reader = run.call([sys.executable, __file__, ncu, written], LIMIT_S, quiet=True)
    found = json.loads(reader.out.splitlines()[-1]) if reader.status == 0 else []
    if len(found) != len(launches):
        run.fail(f"profile: {len(found)} launches in the file, {len(launches)} made: {reader.ending(3)}")
        return None
    counting = [one | row for one, row in zip(launches, found) if one["counts"]]
    (run.out / "profile.json").write_text(json.dumps(counting) + "\n")
    # The lines are many, and have their file.
    return [{name: value for name, value in row.items() if name != "lines"} for row in counting]


def module(ncu):
    """The folder of Nsight Compute's Python module: beside the program, which may be a script elsewhere."""
    places = [Path(ncu).resolve().parent, *sorted(Path("/opt/nvidia/nsight-compute").glob("*"), reverse=True)]
    places += Path(ncu).resolve().parents[1].glob("nsight-compute*")
    for place in places:
        for folder in (place, place.parent, *place.parents[1:3]):
            if (folder / "extras" / "python" / "ncu_report.py").is_file():
                return folder / "extras" / "python"
    raise FileNotFoundError("extras/python/ncu_report.py of Nsight Compute")


def read(ncu, written):
    """Of each launch the metrics and, by `file:line`, [warp instructions, instructions in the code]."""
    sys.path.insert(0, str(module(ncu)))
    import ncu_report

    context = ncu_report.load_report(str(written))
    rows = []
    for at in range(context.num_ranges()):
        part = context.range_by_idx(at)
        rows += [launch(part.action_by_idx(k)) for k in range(part.num_actions())]
    return rows


def launch(action):
    names = set(action.metric_names())
    row = {name: action.metric_by_name(metric).as_double() for name, metric in METRICS.items() if metric in names}
    executed = action.metric_by_name("inst_executed")
    addresses = executed.correlation_ids()
    lines = {}
    for k in range(executed.num_instances()):
        info = action.source_info(addresses.as_uint64(k))
        key = line(info.file_name(), info.line()) if info else "unknown:0"
        entry = lines.setdefault(key, [0, 0])
        entry[0] += executed.as_uint64(k)
        entry[1] += 1
    return row | {"lines": lines}


def line(file, number):
    """`file` as `#line` names it: compilers put the folder where they ran before it."""
    parts = Path(file).parts
    known = (name for k in range(len(parts)) if (ROOT / "kernels" / (name := "/".join(parts[k:]))).is_file())
    return f"{next(known, 'unknown')}:{number}"


if __name__ == "__main__":
    print(json.dumps(read(*sys.argv[1:])))
