"""A short run of the campaign under compute-sanitizer: no access out of bounds, no race, no unwritten memory read."""

import re

TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
LIMIT_S = 150
FEW = ("--few", "--limit-s", "100", "--cases")
# A race is looked for in every access to shared memory: some hundred times as slow.
WHAT = {"racecheck": (*FEW, "3", "random", "boxes")}
MORE = (*FEW, "8", "random", "sizes", "formats", "boxes")
# In the order in which the tools write it.
CLEAN = re.compile(r"ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: 0 hazards displayed")


def check(run):
    sanitizer = run.tool("compute-sanitizer")
    if not sanitizer:
        run.not_checked("compute-sanitizer: not installed")
        return {}
    found = run.together(lambda tool: one(run, sanitizer, tool, campaign(run, tool)), TOOLS)
    return dict(zip(TOOLS, found))


def campaign(run, tool, options=(), what=None):
    return [run.binary("gpu_campaign"), *options, *(what or WHAT.get(tool, MORE))]


def one(run, sanitizer, tool, command, fails=True):
    """The tool's last word."""
    command = [sanitizer, "--tool", tool, "--error-exitcode", "9", "--print-limit", "20", *command]
    done = run.call(command, LIMIT_S)
    word = summary(done.out)
    if fails and (done.status != 0 or not CLEAN.search(done.out)):
        run.fail(f"{tool}: {done.outcome()}: {word}")
    return word


def summary(text):
    lines = [line.strip("= ") for line in text.splitlines() if "SUMMARY" in line]
    return lines[-1] if lines else "no summary"
