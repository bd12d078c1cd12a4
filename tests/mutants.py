"""Makes each mistake of mutants.toml in a copy of the tree, expects its test to fail, writes tests/mutants.md.

    python3 tests/mutants.py [WORD]      only mutants whose name holds WORD; the table is then left as it is
"""

import itertools
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests" / "mutants.md"
HEAD = """# Mutants

Deliberate mistakes and the test that notices each: `make mutants` makes them one at a time (tests/mutants.toml) and
fails if one goes unnoticed.

| mistake | file | noticed by |
|---|---|---|
"""


# The copy and what is built from it are kept between runs, apart from the tree's own.
BUILT = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "mutants"


def copy_tree(folder):
    """The files that git tracks, and those that it would; what has not changed stays as it is, so that cargo sees it."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True)
    names = {name for name in listed.stdout.decode().splitlines() if (ROOT / name).is_file()}
    for old in [path for path in folder.rglob("*") if path.is_file() and str(path.relative_to(folder)) not in names]:
        old.unlink()
    for name in names:
        content, copy = (ROOT / name).read_bytes(), folder / name
        if not copy.exists() or copy.read_bytes() != content:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)


def listed(word=""):
    """The mistakes whose name holds the word."""
    return [m for m in tomllib.loads((ROOT / "tests" / "mutants.toml").read_text())["mutant"] if word in m["name"]]


def mistaken(mutant, text):
    """The text of its file with the mistake in it."""
    if text.count(mutant["old"]) != 1:
        sys.exit(f"{mutant['name']}: its text occurs {text.count(mutant['old'])} times in {mutant['file']}")
    return text.replace(mutant["old"], mutant["new"])


def run_tests(folder, target, names):
    command = ["cargo", "test", "--quiet", "--test", target, "--", *names]
    environment = os.environ | {"CARGO_TARGET_DIR": str(BUILT)}
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
    mutants = listed(word)
    rows, missed = [], []
    folder = BUILT / "tree"
    copy_tree(folder)
    for target in sorted({m["test"].split()[0] for m in mutants}):
        names = sorted({m["test"].split()[1] for m in mutants if m["test"].split()[0] == target})
        clean = run_tests(folder, target, names)
        if clean.returncode != 0:
            sys.exit(f"{target} fails without a mistake:\n{clean.stdout}{clean.stderr}")
    for mutant in mutants:
        path = folder / mutant["file"]
        text = path.read_text()
        path.write_text(mistaken(mutant, text))
        target, *names = mutant["test"].split()
        result = run_tests(folder, target, names)
        path.write_text(text)
        why = reason(result.stdout + result.stderr)
        print(f"{'noticed' if why else 'MISSED'}: {mutant['name']}: {why}", flush=True)
        if why is None:
            missed.append(mutant["name"])
            print(result.stderr[-2000:], flush=True)
        rows.append(f"| {mutant['name']} | `{mutant['file']}` | `{mutant['test']}` |\n")
    if not word and not missed:
        TABLE.write_text(HEAD + "".join(rows))
    print(f"{len(mutants) - len(missed)} of {len(mutants)} noticed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
