"""counts.json: what the kernels were measured to execute, file by file, with the mix of the code for sm_62.

A line's instructions are taken to be of the classes that its code for sm_62 has; of a line without any, as those of its
file, or of its program. What blocks execute while they wait for each other is counted apart.
"""

from . import functions, mix, rates

# Functions of grid.cuh in which blocks wait.
WAITING = {"grid_barrier", "watched", "acquire", "add_released"}


def of(launches, kernels, say):
    """One row a launch: its figures, and by file [instructions, share of each class but the first]."""
    mixes = {name: mix.of(kernels, name, say) for name in sorted({launch["kernel"] for launch in launches})}
    names = functions.Functions(kernels)
    return [row(launch, mixes[launch["kernel"]], names) for launch in launches]


def row(launch, lines, names):
    files, waiting = {}, 0
    whole = shares(lines.values())
    by_file = {name: shares(c for line, c in lines.items() if file_of(line) == name) for name in map(file_of, lines)}
    for line, (executed, _) in launch["lines"].items():
        name = file_of(line)
        if names.of(line).split(":")[1] in WAITING:
            waiting += executed
            continue
        share = shares([lines[line]]) if line in lines else by_file.get(name, whole)
        total = files.setdefault(name, [0] * (1 + len(share)))
        total[0] += executed
        for k, part in enumerate(share, 1):
            total[k] += part * executed
    rounded = {name: [total, *(round(part / max(total, 1), 4) for part in parts)]
               for name, (total, *parts) in sorted(files.items(), key=lambda item: -item[1][0])}
    code = [sum(sum(counts.values()) for counts in lines.values()), sum(c for _, c in launch["lines"].values())]
    kept = ("kernel", "case", "size", "found", "blocks", "issue_active", "l2_sectors", "time_ns")
    figures = {name: launch[name] for name in kept if name in launch}
    return figures | {"waiting": waiting, "code": code, "files": rounded}


def file_of(line):
    return line.rsplit(":", 1)[0]


def shares(counts):
    """Of all classes but the full rate."""
    sums = dict.fromkeys(rates.CLASSES, 0)
    for one in counts:
        for name, count in one.items():
            sums[name] += count
    total = max(sum(sums.values()), 1)
    return [sums[name] / total for name in rates.CLASSES[1:]]
