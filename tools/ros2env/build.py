"""cargo and colcon in the environment of a ROS 2 installation."""

import os
import shutil
from pathlib import Path

from . import once, prefix, shell
from .installation import REPOSITORY, made
from .problem import call

BINARY = "vio_frontend_node"
COLCON_REQUIREMENTS = prefix.REQUIREMENTS / "colcon.txt"


def node(installation, cargo_arguments, release):
    """Builds the node and returns (exit status, path of the program).

    All installations share one target folder: after a change of ROS 2 cargo rebuilds the three crates that
    depend on it, where a folder for each would build everything again. The program is copied out, since
    tests on two distributions want two.
    """
    profile = "release" if release else "debug"
    command = ["cargo", "build", "--features", "ros2", "--bin", BINARY, *(["--release"] if release else []),
               *cargo_arguments]
    target = Path(os.environ.get("CARGO_TARGET_DIR") or REPOSITORY / "target").absolute()
    program = installation.home / "bin" / profile / BINARY
    program.parent.mkdir(parents=True, exist_ok=True)
    with once.locked(made() / ".build.lock"):
        status = call(command, cwd=REPOSITORY, env=_build_environment(installation, target))
        if status == 0:
            # Replaced as a whole: the old one may be running.
            copy = program.with_suffix(".new")
            shutil.copy2(target / profile / BINARY, copy)
            copy.replace(program)
    return status, program


def _build_environment(installation, target):
    environment = shell.environment(installation)
    # rclrs remembers the library path of its first build when AMENT_PREFIX_PATH alone changes. The linker
    # also looks here.
    libraries = [str(p / "lib") for p in installation.prefixes] + [environment.get("LIBRARY_PATH", "")]
    return {**environment, "CARGO_TARGET_DIR": str(target), "LIBRARY_PATH": os.pathsep.join(filter(None, libraries))}


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
