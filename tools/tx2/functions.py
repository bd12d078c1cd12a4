"""Which function of kernels/ a line belongs to."""

import re
from pathlib import Path

# A definition at the left edge; what follows up to the next one is its body.
FUNCTION = re.compile(r"^(?:extern|__device__|__forceinline__|static|inline)\b[^;{]*?(?:__launch_bounds__\([^)]*\)\s*)?"
                      r"(\w+)\s*\((?:[^;{()]|\([^()]*\))*\)\s*\{", re.MULTILINE)
STRUCT = re.compile(r"^(?:union|struct) (?:alignas\(\d+\) )?(\w+)", re.MULTILINE)


class Functions:
    def __init__(self, kernels):
        self.kernels = Path(kernels)
        self.known = {}

    def of(self, line):
        """`file:function` of `file:number`."""
        name, number = line.rsplit(":", 1)
        path = self.kernels / name
        if name not in self.known:
            self.known[name] = starts(path.read_text()) if path.is_file() else []
        found = [function for first, function in self.known[name] if first <= int(number)]
        return f"{name}:{found[-1]}" if found else f"{name}:"


def starts(text):
    """(line, name) of each definition, in order."""
    return sorted((text.count("\n", 0, m.start()) + 1, m[1]) for p in (FUNCTION, STRUCT) for m in p.finditer(text))
