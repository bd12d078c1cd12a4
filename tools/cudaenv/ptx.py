"""What PTX may hold, so that a driver loads it and it gives the bits of the plain path."""

import re

RULES = (
    (r"\.extern\s+\.func.*", "calls a function that no driver has, so that loading fails (`__dp4a`, `assert` and "
                             "`printf` do that)"),
    (r"\b(?:fma|mad)\.(?:\w+\.)*f(?:16|32|64)\b.*", "fuses multiplication and addition of floats, which rounds once "
                                                    "where the CPU rounds twice"),
    (r"\b\w+\.(?:\w+\.)*(?:approx|full|ftz)\b.*", "is not exact to the last bit of IEEE"),
)


def problems(text, isa, architecture):
    """What is wrong with PTX that should have this version and target."""
    found = []
    for directive, wanted in ((".version", isa), (".target", f"sm_{architecture}")):
        line = re.search(rf"^\{directive}\s+(.*)$", text, re.MULTILINE)
        if not line or line[1].split(",")[0].strip() != wanted:
            found.append(f"`{directive}` is {line[1] if line else 'missing'}, expected {wanted}")
    for pattern, why in RULES:
        lines = list(dict.fromkeys(m[0].strip() for m in re.finditer(pattern, text)))
        found += [f"`{line}` {why}" for line in lines[:3]]
        if len(lines) > 3:
            found.append(f"and {len(lines) - 3} more of these")
    return found
