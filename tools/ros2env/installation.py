"""Which ROS 2 is used, and where the things made for it lie."""

import os
from dataclasses import dataclass
from pathlib import Path

from .problem import Problem

REPOSITORY = Path(__file__).resolve().parents[2]
# The distributions that exist as wheels; the first is the default.
ON_PYPI = ("jazzy", "kilted")


@dataclass(frozen=True)
class Installation:
    """One ROS 2 and what belongs to it."""

    distro: str
    sourced: bool
    # The sourced prefixes, most specific first; for the one from wheels, its one prefix.
    prefixes: tuple

    @property
    def home(self):
        return made() / (f"{self.distro}-sourced" if self.sourced else self.distro)

    @property
    def prefix(self):
        """The environment of the wheels (only where nothing is sourced)."""
        return self.home / "prefix"

    @property
    def overlay(self):
        """The Rust bindings this installation lacks."""
        return self.home / "overlay"

    def __str__(self):
        return f"ROS 2 {self.distro.capitalize()} ({'sourced' if self.sourced else 'from PyPI wheels'})"


def made():
    """The folder for all that is made here; colcon must not look for packages in it."""
    folder = Path(os.environ.get("VIO_ROS2_DIR") or REPOSITORY / ".ros2").absolute()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "COLCON_IGNORE").touch()
    return folder


def chosen(distro=None):
    """The sourced ROS 2 if there is one, else the wheels of `distro`.

    Returns the installation, and a note for the user if it is not the distribution asked for.
    """
    ours = made()
    on_path = [Path(p) for p in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if p]
    # Inside `ros2.py env` the variables are set too, but by ourselves: what lies under `.ros2` was not
    # sourced. A colcon workspace on top of that environment still stands on the wheels.
    sourced = tuple(p for p in on_path if ours not in p.parents)
    inside = next((p.parent.name for p in on_path if p.parent.parent == ours and p.name == "prefix"), None)
    if sourced and not inside:
        named = os.environ.get("ROS_DISTRO")
        if not named:
            raise Problem("AMENT_PREFIX_PATH is set but ROS_DISTRO is not: source the setup.bash of a ROS 2 "
                          "installation (it sets both), or unset AMENT_PREFIX_PATH to use the PyPI wheels")
        note = f"a sourced ROS 2 wins: using {named}, not {distro}" if distro not in (None, named) else None
        return Installation(named, True, sourced), note
    distro = distro or inside or ON_PYPI[0]
    if distro not in ON_PYPI:
        raise Problem(f"there are no wheels of ROS 2 {distro}, only of {' and '.join(ON_PYPI)}: "
                      f"install {distro} and source /opt/ros/{distro}/setup.bash")
    return Installation(distro, False, (ours / distro / "prefix",)), None
