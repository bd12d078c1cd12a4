"""cargo and colcon in the environment of a ROS 2 installation."""

import os
from pathlib import Path

from . import once, prefix, shell
from .installation import REPOSITORY, made
from .problem import call

BINARY = "vio_frontend_node"
COLCON_REQUIREMENTS = prefix.REQUIREMENTS / "colcon.txt"


def target(installation):
    """One target folder for each installation.

    Cargo would rebuild the right crates after a change of ROS_DISTRO, but rclrs keeps the library path of
    its first build, and tests on two distributions want two programs.
    """
    base = Path(os.environ.get("CARGO_TARGET_DIR") or REPOSITORY / "target").absolute()
    return base / f"ros2-{installation.home.name}"


def node(installation, cargo_arguments, release):
    """Builds the node and returns (exit status, path of the program)."""
    profile = ["--release"] if release else []
    command = ["cargo", "build", "--features", "ros2", "--bin", BINARY, *profile, *cargo_arguments]
    environment = {**shell.environment(installation), "CARGO_TARGET_DIR": str(target(installation))}
    status = call(command, cwd=REPOSITORY, env=environment)
    return status, target(installation) / ("release" if release else "debug") / BINARY


def ensure_colcon(say):
    """colcon in an environment of its own, usable with any installation. Returns its folder of programs."""
    folder = made() / "colcon"

    def make(venv):
        say(f"installing colcon in {venv}")
        prefix.make_venv(venv, [COLCON_REQUIREMENTS])

    once.ensure(folder, prefix.inputs(folder, COLCON_REQUIREMENTS), make)
    return folder / "bin"


def with_programs(environment, folder):
    """The environment with one more folder of programs, after the ROS ones."""
    return {**environment, "PATH": os.pathsep.join([environment["PATH"], str(folder)])}
