"""Makes each mistake of mutants.toml in a copy of the tree, expects its test to fail, writes tests/mutants.md.

    python3 tests/mutants.py [WORD]      only mutants whose name holds WORD; the table is then left as it is
"""

import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests" / "mutants.md"
HEAD = """# Mutants

Deliberate mistakes and the test that notices each: `make mutants` makes them one at a time (tests/mutants.toml) and
fails if one goes unnoticed.

| mistake | file | noticed by | first words of the failure |
|---|---|---|---|
"""


def copy_tree(folder):
    """The files that git tracks, and those that it would."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True)
    for name in listed.stdout.decode().splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)


def run_test(folder, test):
    target, *names = test.split()
    command = ["cargo", "test", "--quiet", "--test", target, "--", *names]
    # Built files are kept between runs, apart from those of the tree itself.
    built = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "mutants"
    environment = os.environ | {"CARGO_TARGET_DIR": str(built)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def reason(output):
    """The panic's message, as one short line; None if no test failed (the tests may not even have been built)."""
    if "test result: FAILED" not in output:
        return None
    lines = output.splitlines()
    at = next((i for i, line in enumerate(lines) if "panicked at" in line), None)
    if at is None:
        return "the test process died"
    words = itertools.takewhile(lambda line: "stack backtrace" not in line, lines[at + 1 : at + 4])
    message = " ".join(" ".join(words).replace("\\n", " ").replace("|", "/").split())
    return re.sub(r"(/[^/ ]+)+/", "", re.sub("=====*", "", message))[:110]


def main(word):
    mutants = [m for m in tomllib.loads((ROOT / "tests" / "mutants.toml").read_text())["mutant"] if word in m["name"]]
    rows, missed = [], []
    with tempfile.TemporaryDirectory(prefix="mutants") as scratch:
        folder = Path(scratch)
        copy_tree(folder)
        for test in sorted({m["test"] for m in mutants}):
            clean = run_test(folder, test)
            if clean.returncode != 0:
                sys.exit(f"{test} fails without a mistake:\n{clean.stdout}{clean.stderr}")
        for mutant in mutants:
            path = folder / mutant["file"]
            text = path.read_text()
            if text.count(mutant["old"]) != 1:
                sys.exit(f"{mutant['name']}: its text occurs {text.count(mutant['old'])} times in {mutant['file']}")
            path.write_text(text.replace(mutant["old"], mutant["new"]))
            result = run_test(folder, mutant["test"])
            path.write_text(text)
            why = reason(result.stdout + result.stderr)
            print(f"{'noticed' if why else 'MISSED'}: {mutant['name']}: {why}", flush=True)
            if why is None:
                missed.append(mutant["name"])
                print(result.stderr[-2000:], flush=True)
            rows.append(f"| {mutant['name']} | `{mutant['file']}` | `{mutant['test']}` | {why} |\n")
    if not word and not missed:
        TABLE.write_text(HEAD + "".join(rows))
    print(f"{len(mutants) - len(missed)} of {len(mutants)} noticed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
