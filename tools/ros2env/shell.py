"""The environment in which the node is built, runs and meets its rclpy peers."""

import os
import shlex
from pathlib import Path

from . import bindings
from .installation import made
from .prefix import MIDDLEWARE

# Read by scripts that want the Python that can `import rclpy`.
PYTHON = "VIO_ROS2_PYTHON"


def variables(installation):
    """The variables to set, on top of the present environment."""
    overlay = [installation.overlay] if bindings.missing(installation) else []
    if installation.sourced:
        return {"AMENT_PREFIX_PATH": _joined(overlay, installation.prefixes), PYTHON: "python3"}
    prefix = installation.prefix
    return {
        "ROS_DISTRO": installation.distro,
        "ROS_VERSION": "2",
        "ROS_PYTHON_VERSION": "3",
        "RMW_IMPLEMENTATION": MIDDLEWARE,
        # A colcon workspace sourced on top keeps its place.
        "AMENT_PREFIX_PATH": _joined(_foreign("AMENT_PREFIX_PATH"), overlay, [prefix]),
        "LD_LIBRARY_PATH": _joined([prefix / "lib"], sorted(prefix.glob("lib/python3.*/site-packages/ros_*.libs")),
                                   _foreign("LD_LIBRARY_PATH")),
        # LD_LIBRARY_PATH is right: the wheels need not restart Python to set it.
        "_ROS_WHEELS_BOOTSTRAP_COMPLETE": "1",
        "PATH": _joined([prefix / "bin"], _foreign("PATH")),
        PYTHON: str(prefix / "bin" / "python"),
    }


def environment(installation):
    """The whole environment for a command."""
    return {**os.environ, **variables(installation)}


def exports(installation):
    """The variables as lines for `eval` in a POSIX shell."""
    return "\n".join(f"export {name}={shlex.quote(value)}" for name, value in variables(installation).items())


def _foreign(name):
    """The entries of a path variable that did not come from here (another distribution's, for instance)."""
    ours = made()
    return [p for p in os.environ.get(name, "").split(os.pathsep) if p and ours not in Path(p).parents]


def _joined(*lists):
    return os.pathsep.join(str(p) for entries in lists for p in entries)
