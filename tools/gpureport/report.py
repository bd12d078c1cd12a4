"""figures.json, report.md, the exit status."""

import datetime
import json


def write(run):
    """Writes both, prints the summary, and returns the exit status."""
    commit = run.binary("commit.txt")
    head = {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": commit.read_text().strip() if commit.is_file() else "unknown",
    }
    figures = head | run.figures | {"failures": run.failures, "not_checked": run.unchecked}
    (run.out / "figures.json").write_text(json.dumps(figures, indent=1) + "\n")
    text = markdown(figures)
    (run.out / "report.md").write_text(text)
    print(text)
    return 1 if run.failures else 0


def markdown(figures):
    machine = figures.get("machine") or {}
    lines = [f"# On a GPU: {machine.get('card', 'unknown card')}", "",
             f"{figures['date']}, commit {figures['commit']}; " + ", ".join(f"{k} {v}" for k, v in machine.items()), ""]
    campaign = figures.get("campaign")
    if campaign:
        columns = list(next(iter(campaign.values())))
        lines += table(["group", *columns], [[name, *map(str, row.values())] for name, row in campaign.items()])
    for name, what in (("frontend", "whole runs, GPU and CPU"), ("sanitizers", "compute-sanitizer"),
                       ("mutants", "deliberate mistakes in the kernels"), ("survival", "failure")):
        rows = figures.get(name)
        if isinstance(rows, dict) and rows:
            lines += table([what, "outcome"], [[key, str(word)] for key, word in rows.items()])
    lines += listed("Failed", figures["failures"]) + listed("Not checked", figures["not_checked"])
    return "\n".join(lines).rstrip() + "\n"


def table(head, rows):
    clean = [[cell.replace("|", "/").replace("\n", " ") for cell in row] for row in rows]
    return [f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *clean]] + [""]


def listed(title, lines):
    return [f"{title}: {len(lines)}", *[f"- {line}" for line in lines], ""] if lines else []
