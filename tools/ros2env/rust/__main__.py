"""python -m ros2env.rust --out OVERLAY PACKAGE...: the Rust crates of these packages, read from AMENT_PREFIX_PATH."""

import argparse
import os
import sys
from pathlib import Path

from . import package


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("packages", nargs="+")
    args = parser.parse_args()

    prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    # What a message mentions is needed as well: the list grows while it is worked through.
    wanted, required = list(args.packages), set()
    for name in wanted:
        share = package.share_of(prefixes, name)
        if share is None:
            # Not every distribution has every package of the list (Humble has no service_msgs).
            if name in required:
                sys.exit(f"{name} is mentioned by the messages above but not installed")
            print(f"  {name}: not in this distribution", file=sys.stderr)
            continue
        dependencies = package.write(share, args.out / "share" / name / "rust")
        required.update(dependencies)
        wanted += [d for d in dependencies if d not in wanted]
        print(f"  {name}", file=sys.stderr)


if __name__ == "__main__":
    main()
