"""The Rust message bindings that the installation lacks, as an overlay prefix.

Distributions from Lyrical on ship them, as does a workspace in which the official generator ran: there
is then nothing to do. Elsewhere the overlay gets a `share/<package>/rust` for each missing package,
which is where the build of `ros-env` looks for message types.
"""

import os
import shutil
import sys
from pathlib import Path

from . import once, prefix
from .problem import Problem, run

# What rclrs itself is compiled against (up to action_msgs), and what the node speaks.
PACKAGES = (
    "builtin_interfaces", "service_msgs", "unique_identifier_msgs", "type_description_interfaces",
    "rcl_interfaces", "rosgraph_msgs", "action_msgs",
    "std_msgs", "geometry_msgs", "sensor_msgs", "diagnostic_msgs", "std_srvs",
)
WRITER = Path(__file__).parent / "rust"


def missing(installation):
    """The packages for which no sourced prefix has Rust bindings."""
    return [p for p in PACKAGES
            if not any((prefix / "share" / p / "rust" / "Cargo.toml").exists() for prefix in installation.prefixes)]


def ensure(installation, say):
    """Writes the overlay, unless it is not needed or there already. Returns whether it is needed."""
    wanted = missing(installation)
    if not wanted:
        return False

    def make(folder):
        say(f"writing the Rust message bindings of {installation} to {folder}")
        environment = {**os.environ, "_ROS_WHEELS_BOOTSTRAP_COMPLETE": "1",
                       "AMENT_PREFIX_PATH": os.pathsep.join(map(str, installation.prefixes)),
                       "PYTHONPATH": os.pathsep.join(filter(None, (str(WRITER.parents[1]),
                                                                   os.environ.get("PYTHONPATH"))))}
        python = _python_with_parser(installation, environment)
        run([python, "-W", "ignore", "-m", "ros2env.rust", "--out", folder, *wanted],
            "the Rust message bindings could not be written", env=environment)
        # colcon warns of a prefix that has no setup file. There is nothing to set up.
        for shell in ("sh", "bash", "zsh"):
            (folder / f"local_setup.{shell}").touch()

    # The package versions are part of it: an upgrade may change a message.
    manifests = [share / "package.xml" for p in installation.prefixes for share in
                 (p / "share" / w for w in wanted) if (share / "package.xml").exists()]
    sources = [f.read_text() for f in (Path(__file__), *sorted(WRITER.glob("*.py")), *manifests)]
    return once.ensure(installation.overlay, [*map(str, installation.prefixes), *wanted, *sources], make) or True


def _python_with_parser(installation, environment):
    """The interpreter for which this ROS 2 installed its `rosidl_parser`."""
    if not installation.sourced:
        return installation.prefix / "bin" / "python"
    candidates = dict.fromkeys(filter(None, (shutil.which("python3"), "/usr/bin/python3", sys.executable)))
    for python in candidates:
        try:
            run([python, "-W", "ignore", "-c", "import rosidl_parser.parser"], "", env=environment)
            return python
        except Problem:
            continue
    raise Problem(f"none of {', '.join(candidates)} can import rosidl_parser, which every {installation} "
                  "carries: is its setup.bash sourced in this shell, and python3-lark installed "
                  f"(apt install ros-{installation.distro}-rosidl-parser)?")
