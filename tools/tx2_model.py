#!/usr/bin/env python3
"""What a frame should take on a Jetson TX2, from counts on another card. No GPU needed.

    python3 tools/tx2_model.py                       # the tables of docs/tx2_model.md, from tools/tx2/counts.json
    python3 tools/tx2_model.py --write               # into the document
    python3 tools/tx2_model.py --record gpu_report   # new counts: of `make test-gpu`, with this tree's code for sm_62
"""

import argparse
import json
import sys
from pathlib import Path

from tx2 import counts, tables

ROOT = Path(__file__).resolve().parents[1]
COUNTS = ROOT / "tools" / "tx2" / "counts.json"
DOCUMENT = ROOT / "docs" / "tx2_model.md"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", type=Path, metavar="DIR", help="folder that `make test-gpu` wrote")
    parser.add_argument("--write", action="store_true", help="replace the tables of the document")
    args = parser.parse_args()
    if args.record:
        record(args.record)
    text = made()
    if args.write:
        DOCUMENT.write_text(replaced(DOCUMENT.read_text(), text))
    else:
        print(text)


def made():
    registers = tables.read_registers((ROOT / "kernels" / "ptx" / "registers.txt").read_text())
    return tables.all_of(json.loads(COUNTS.read_text()), registers)


def replaced(document, text):
    before, _, rest = document.partition(tables.BEGIN)
    _, _, after = rest.partition(tables.END)
    return f"{before}{tables.BEGIN}\n\n{text}\n\n{tables.END}{after}"


def record(folder):
    figures = json.loads((folder / "figures.json").read_text())
    machine = figures["machine"]
    head = {"date": figures["date"][:10], "commit": figures["commit"], "source": "synth:room",
            "how": "third frame, grids as a TX2 has them",
            **{name: machine[name] for name in ("card", "driver", "cuda", "ncu")}}
    launches = counts.of(json.loads((folder / "profile.json").read_text()), ROOT / "kernels",
                         lambda text: print(text, file=sys.stderr))
    rows = ",\n".join("  " + json.dumps(launch) for launch in launches)
    COUNTS.write_text(json.dumps(head, indent=1)[:-2] + f',\n "launches": [\n{rows}\n ]\n}}\n')


if __name__ == "__main__":
    main()
