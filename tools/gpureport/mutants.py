"""The deliberate mistakes of tests/mutants.toml that are in the kernels, on the GPU: each must be noticed there.

Those that only the order of threads can show are left to the sanitizer that looks for it.
"""

import re
import shutil
import sys

from . import campaign, sanitizers
from .run import ROOT

sys.path.insert(0, str(ROOT / "tests"))
import mutants  # noqa: E402

LIMIT_S = 120
LIMITS = ("--ends-at-first", "--limit-s", "5", "--cases", "60")
# Of these sources the campaign launches nothing.
OTHERS = "kernels/floor"


def listed():
    mistakes = mutants.listed()
    return [m for m in mistakes if m["file"].startswith("kernels/") and not m["file"].startswith(OTHERS)]


def notice(run):
    """How each was noticed."""
    mistakes, sanitizer = listed(), run.tool("compute-sanitizer")
    words = run.together(lambda job: one(run, sanitizer, *job), list(enumerate(mistakes)))
    return {m["name"]: word for m, word in zip(mistakes, words)}


def one(run, sanitizer, number, mutant):
    folder = run.scratch / f"mutant_{number}"
    shutil.copytree(ROOT / "kernels", folder)
    path = folder / mutant["file"].removeprefix("kernels/")
    path.write_text(mutants.mistaken(mutant, path.read_text()))
    groups = ["boxes"] if mutant["file"].startswith("kernels/detections") else ["random", "sizes", "formats"]
    options = ["--kernels-dir", folder, "--cache-dir", run.scratch / f"mutant_cache_{number}"]
    done = run.call([run.binary("gpu_campaign"), *options, *LIMITS, *groups], LIMIT_S, quiet=True)
    word = noticed(done)
    if not word and sanitizer and done.status == 0:
        word = raced(run, sanitizer, options, groups[:1])
    if not word:
        run.fail(f"mutant not noticed: {mutant['name']}: {done.outcome()}: {done.ending(3)}")
    return word or "MISSED"


def raced(run, sanitizer, options, groups):
    """What a sanitizer has against it; None if nothing."""
    for tool in ("racecheck", "memcheck"):
        command = sanitizers.campaign(run, tool, options, (*sanitizers.FEW, "3", *groups))
        said = sanitizers.one(run, sanitizer, tool, command, fails=False)
        if not sanitizers.CLEAN.search(said) and said != "no summary":
            return f"{tool}: {said}"
    return None


def noticed(done):
    """The first difference or error, short; None if there is none, or if the mistake is no CUDA at all."""
    for report in campaign.parse(done.out):
        for text in [*report["differences"], report["error"]]:
            if text:
                return f"{report['group']}: {text}"[:160]
    # The layout of what Rust shares is asserted.
    refused = re.search(r"static assertion failed with[\\ \"]*([^\\\"]+)", done.out)
    if refused:
        return f"the compiler: {refused[1]}"
    return "it did not end" if done.status is None else None
