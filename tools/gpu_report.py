#!/usr/bin/env python3
"""Everything that needs a real GPU, on the machine that has one: builds nothing, needs no cargo, only Python 3.11.

    make gpu-binaries                                      # where cargo is: target/gpu/, one folder to take along
    python3 tools/gpu_report.py --binaries DIR --out DIR   # where the GPU is, in a copy of this tree

Writes DIR/log.txt with all that was said, DIR/figures.json and DIR/report.md. Ends with 1 if anything failed. What was
not checked, and how this machine differs from the recorded one (tools/gpureport/recorded.json), stands in the report.
"""

import argparse
import signal
import sys
from pathlib import Path

from gpureport import plan, report
from gpureport.run import Problem, Run


def count(text):
    """A number of processes; argparse names the option."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no number from 1 on")
    return int(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", type=Path, default="target/gpu", help="folder that `make gpu-binaries` made")
    parser.add_argument("--out", type=Path, required=True, help="folder for log and figures")
    parser.add_argument("--data", type=Path, help="folder of real images and sequences")
    parser.add_argument("--only", default=",".join(plan.STEPS), help="steps, with commas: %(default)s")
    parser.add_argument("--jobs", type=count, default=8, help="processes beside each other, where time is not measured")
    args = parser.parse_args()
    wanted = args.only.split(",")
    unknown = [name for name in wanted if name not in plan.STEPS]
    if unknown:
        parser.error(f"no step {', '.join(unknown)}: {', '.join(plan.STEPS)}")
    # Ended from outside, it ends what it started, as it does at an interrupt.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    run = Run(args.binaries, args.out, args.data, args.jobs)
    try:
        run.require()
        for name in plan.STEPS:
            if name in wanted:
                run.section(name, plan.STEPS[name])
            else:
                run.not_checked(f"{name}: not asked for")
        return report.write(run)
    finally:
        run.close()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        sys.exit(f"gpu_report: {problem}")
    except KeyboardInterrupt:
        sys.exit(130)
