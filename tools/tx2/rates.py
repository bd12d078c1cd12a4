"""How fast a multiprocessor of compute capability 6.2 takes each instruction.

CUDA C++ Programming Guide, table "Throughput of Native Arithmetic Instructions", column 6.2: results per clock and
multiprocessor, of 128 at full rate. Loads and stores: 32 lanes a multiprocessor.
"""

import re

CLASSES = ("full", "half", "quarter", "double", "memory")
# Issue slots that an instruction takes, at least, from those of its scheduler; memory goes its own way beside them.
SLOTS = {"full": 1, "half": 2, "quarter": 4, "double": 32, "memory": 1}
# Slots of the pipe of that class alone.
PIPE = {"full": 1, "half": 2, "quarter": 4, "double": 32, "memory": 4}

# 64 a clock: shifts, compares, minima, bit fields, byte permutations, votes, shift-and-add, packed bytes.
HALF = {"SHL", "SHR", "SHF", "ISETP", "ISET", "ICMP", "IMNMX", "FMNMX", "FSETP", "FSET", "FCMP", "BFE", "BFI", "PRMT",
        "ISCADD", "LEA", "VOTE", "PSETP", "PSET", "VABSDIFF", "VABSDIFF4", "VADD", "VMNMX", "VMAD", "VSET", "VSETP",
        "ISAD"}
# 32 a clock: bits counted, shuffles, conversions, reciprocals and roots.
QUARTER = {"POPC", "FLO", "SHFL", "I2F", "F2I", "F2F", "I2I", "MUFU", "RRO"}
# 4 a clock.
DOUBLE = {"DADD", "DMUL", "DFMA", "DMNMX", "DSET", "DSETP"}
MEMORY = re.compile(r"LD[GSLC]?|ST[GSL]?|ATOMS?|RED|MEMBAR|LDU|SUST|TEX")


def rate(opcode):
    """The class of an instruction as nvdisasm writes it, with its suffixes."""
    name, *suffixes = opcode.split(".")
    if name in DOUBLE or name in QUARTER and any("64" in suffix for suffix in suffixes):
        return "double"
    if name in QUARTER:
        return "quarter"
    if name in HALF:
        return "half"
    return "memory" if MEMORY.fullmatch(name) else "full"
