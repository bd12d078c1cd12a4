"""The device beside the plain path, bit by bit: examples/gpu_campaign in several processes."""

from .run import objects

RANDOM = 1000
PARTS = 10
LIMIT_S = 300
COUNTS = ("cases", "frames", "launches", "features", "descriptors", "tracks", "different")


def jobs(data):
    """Arguments of each process."""
    part = RANDOM // PARTS
    listed = [["--first", first, "--cases", part, "random"] for first in range(0, RANDOM, part)]
    listed += [["data", "--data", data]] if data else []
    return listed + [["scenes"], ["sizes"], ["formats"], ["boxes"], ["repeat"]]


def compare(run):
    if not run.data:
        run.not_checked("real images: no --data")
    listed = jobs(run.data)
    command = [run.binary("gpu_campaign")]
    done = run.together(lambda job: run.call(command + job, LIMIT_S), listed)
    reports = [report for one in done for report in judge(run, one)]
    return summed(reports)


def judge(run, done):
    """The reports of a process; what is wrong is a failure."""
    reports = parse(done.out)
    asked = " ".join(done.command[1:])
    for report in reports:
        for text in [*report["differences"], *([report["error"]] if report["error"] else [])]:
            run.fail(f"gpu_campaign {asked}: {report['group']}: {text}")
    if done.status != 0 and not any(r["different"] or r["error"] for r in reports):
        run.fail(f"gpu_campaign {asked}: {done.outcome()}: {done.ending(3)}")
    if done.status == 0 and not reports:
        run.fail(f"gpu_campaign {asked}: no report")
    return reports


def parse(text):
    """The lines of JSON that are reports of groups."""
    return [value for value in objects(text) if "group" in value]


def summed(reports):
    """One row a group."""
    groups = {}
    for report in reports:
        row = groups.setdefault(report["group"], dict.fromkeys(COUNTS, 0))
        for name in COUNTS:
            row[name] += report[name]
    return groups
