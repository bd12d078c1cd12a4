"""The programs of kernels/: their files joined into one text, as at run time, and the digest of that.

kernels/ptx/README.md states both rules; the join at run time follows them as well.
"""

import zlib
from dataclasses import dataclass

from ros2env.problem import Problem

LIST = "programs.txt"


def options(architecture):
    """What every compilation is given, at run time too. No fused multiply-add: the bits are those of the CPU."""
    return ["--std=c++14", "--fmad=false", f"--gpu-architecture=compute_{architecture}"]


@dataclass(frozen=True)
class Program:
    """Files that are compiled as one."""

    name: str
    text: str

    def digest(self, architecture):
        """CRC-32 of the options, separated by spaces and ended by a line end, and of the joined text."""
        return f"{zlib.crc32((' '.join(options(architecture)) + chr(10) + self.text).encode()):08x}"


def join(kernels, names):
    """The join rule: each file after a line that gives its name to the compiler's messages."""
    text = ""
    for name in names:
        try:
            content = (kernels / name).read_bytes().decode("ascii")
        except OSError as error:
            raise Problem(f"{kernels / LIST} lists {name}, which cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise Problem(f"{kernels / name} is not ASCII: {error.reason} at byte {error.start}") from error
        if not content.endswith("\n"):
            raise Problem(f"{kernels / name} does not end with a line end")
        text += f'#line 1 "{name}"\n{content}'
    return text


def programs(kernels):
    """All programs in the order of programs.txt. A .cu file in none of them is a problem."""
    listed, used = [], set()
    if (kernels / LIST).exists():
        for line in (kernels / LIST).read_text().splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            name, colon, files = line.partition(":")
            if not colon or not files.split():
                raise Problem(f"{kernels / LIST}: `{line}` is not `NAME: FILE ...`")
            listed.append(Program(name.strip(), join(kernels, files.split())))
            used.update(files.split())
    for path in sorted((*kernels.rglob("*.cu"), *kernels.rglob("*.cuh"))):
        if path.relative_to(kernels).as_posix() not in used:
            raise Problem(f"{path} is in no program of {kernels / LIST}: nothing would compile it")
    return listed
