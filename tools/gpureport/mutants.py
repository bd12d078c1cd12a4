"""The deliberate mistakes of tests/mutants.toml that are in the kernels, on the GPU: each must be noticed there.

Those that only the order of threads can show are left to the sanitizer that looks for it.
"""

import shutil
import sys

from . import campaign, sanitizers
from .run import ROOT

sys.path.insert(0, str(ROOT / "tests"))
import mutants  # noqa: E402

LIMIT_S = 120
WHAT = ("--limit-s", "5", "--cases", "60", "random", "sizes", "formats")
# Of these programs the campaign launches nothing.
OTHERS = ("kernels/detections", "kernels/floor")


def listed():
    mistakes = mutants.listed()
    return [m for m in mistakes if m["file"].startswith("kernels/") and not m["file"].startswith(OTHERS)]


def notice(run):
    """How each was noticed."""
    mistakes, sanitizer = listed(), run.tool("compute-sanitizer")
    run.not_checked("mistakes in kernels/detections: the campaign launches only detect and track")
    words = run.together(lambda job: one(run, sanitizer, *job), list(enumerate(mistakes)))
    return {m["name"]: word for m, word in zip(mistakes, words)}


def one(run, sanitizer, number, mutant):
    folder = run.scratch / f"mutant_{number}"
    shutil.copytree(ROOT / "kernels", folder)
    path = folder / mutant["file"].removeprefix("kernels/")
    path.write_text(mutants.mistaken(mutant, path.read_text()))
    options = ["--kernels-dir", folder, "--cache-dir", run.scratch / f"mutant_cache_{number}"]
    done = run.call([run.binary("gpu_campaign"), *options, *WHAT], LIMIT_S, quiet=True)
    word = noticed(done)
    if word is None and sanitizer and done.status == 0:
        for tool in ("racecheck", "memcheck"):
            said = sanitizers.one(run, sanitizer, tool, options, fails=False)
            if not sanitizers.CLEAN.search(said) and said != "no summary":
                return f"{tool}: {said}"
    if word is None:
        run.fail(f"mutant not noticed: {mutant['name']}: {done.outcome()}: {done.ending(3)}")
    return word or "MISSED"


def noticed(done):
    """The first difference or error, short; None if there is none, or if the mistake does not even compile."""
    for report in campaign.parse(done.out):
        for text in [*report["differences"], report["error"]]:
            if text:
                return f"{report['group']}: {text}"[:160]
    return "it did not end" if done.status is None else None
