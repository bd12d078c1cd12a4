#!/usr/bin/env python3
"""The CUDA sources of kernels/ under NVIDIA's compilers from 10.2 to 13.5. Needs no GPU.

    python3 tools/nvrtc.py check            # compile for all, assemble for sm_62, compare with kernels/ptx/
    python3 tools/nvrtc.py check --renew    # write kernels/ptx/ anew

Messages name file and line; warnings are errors. The compilers come from PyPI wheels on first use (some 160 MB) and
are kept in .ros2/cuda/, or $VIO_ROS2_DIR/cuda/.
"""

import argparse
import os
import sys
from pathlib import Path

from cudaenv import check, compilers
from ros2env.installation import REPOSITORY
from ros2env.problem import Problem


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    sub = commands.add_parser("check", help="compile, assemble and compare")
    sub.add_argument("--renew", action="store_true", help="write kernels/ptx/ instead of comparing with it")
    sub.add_argument("--kernels", type=Path, default=Path(os.path.relpath(REPOSITORY / "kernels")),
                     help="another folder of sources")
    args = parser.parse_args()
    missing = compilers.unavailable()
    if missing:
        say(f"left out: {missing}")
        return 0
    return 0 if check.check(args.kernels, say, args.renew) else 1


def say(text):
    print(f"nvrtc: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        sys.exit(f"nvrtc: {problem}")
    except KeyboardInterrupt:
        sys.exit(130)
