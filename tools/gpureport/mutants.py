"""The deliberate mistakes of tests/mutants.toml that are in the kernels, on the GPU: each must be noticed there.

Those that only the order of threads can show are left to the sanitizer that looks for it.
"""

import shutil
import sys

from . import campaign, detections, sanitizers
from .run import ROOT

sys.path.insert(0, str(ROOT / "tests"))
import mutants  # noqa: E402

LIMIT_S = 120
WHAT = ("--ends-at-first", "--limit-s", "5", "--cases", "60", "random", "sizes", "formats")
# The tool takes no values that are not finite.
UNREACHABLE = ("an infinite half is 65536",)


def listed():
    mistakes = [m for m in mutants.listed() if m["file"].startswith("kernels/")]
    return [m for m in mistakes if m["name"] not in UNREACHABLE]


def notice(run):
    """How each was noticed."""
    mistakes, sanitizer, expected = listed(), run.tool("compute-sanitizer"), detections.on_the_cpu(run)
    for name in UNREACHABLE:
        run.not_checked(f"mutant: {name}")
    words = run.together(lambda job: one(run, sanitizer, expected, *job), list(enumerate(mistakes)))
    return {m["name"]: word for m, word in zip(mistakes, words)}


def one(run, sanitizer, expected, number, mutant):
    folder = run.scratch / f"mutant_{number}"
    shutil.copytree(ROOT / "kernels", folder)
    path = folder / mutant["file"].removeprefix("kernels/")
    path.write_text(mutants.mistaken(mutant, path.read_text()))
    options = ["--kernels-dir", folder, "--cache-dir", run.scratch / f"mutant_cache_{number}"]
    if mutant["file"].startswith("kernels/detections"):
        word, outcome = detections.difference(run, expected, options), "no tensor differs"
        command = lambda tool: [*detections.command(run, 0), "--device", "cuda", *options]  # noqa: E731
    else:
        done = run.call([run.binary("gpu_campaign"), *options, *WHAT], LIMIT_S, quiet=True)
        word, outcome = noticed(done), f"{done.outcome()}: {done.ending(3)}"
        command = lambda tool: sanitizers.campaign(run, tool, options)  # noqa: E731
        # It did not compile.
        sanitizer = sanitizer if done.status == 0 else None
    word = word or sanitizer and raced(run, sanitizer, command)
    if not word:
        run.fail(f"mutant not noticed: {mutant['name']}: {outcome}")
    return word or "MISSED"


def raced(run, sanitizer, command):
    """What a sanitizer has against it; None if nothing."""
    for tool in ("racecheck", "memcheck"):
        said = sanitizers.one(run, sanitizer, tool, command(tool), fails=False)
        if not sanitizers.CLEAN.search(said) and said != "no summary":
            return f"{tool}: {said}"
    return None


def noticed(done):
    """The first difference or error, short; None if there is none, or if the mistake does not even compile."""
    for report in campaign.parse(done.out):
        for text in [*report["differences"], report["error"]]:
            if text:
                return f"{report['group']}: {text}"[:160]
    return "it did not end" if done.status is None else None
