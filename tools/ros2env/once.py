"""Work done once, safe against interruption and against two processes doing it together."""

import fcntl
import hashlib
import shutil
from contextlib import contextmanager

# Written last: a folder without it was left half done.
STAMP = ".made-from"


def ensure(folder, inputs, make):
    """Lets `make(folder)` fill an empty folder, unless the folder was made from the same inputs already.

    Returns whether anything was made. A second process waits for the first and then finds the work done.
    """
    digest = hashlib.sha256("\0".join(inputs).encode()).hexdigest()
    stamp = folder / STAMP
    if _text(stamp) == digest:
        return False
    folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(folder.parent / f".{folder.name}.lock"):
        if _text(stamp) == digest:
            return False
        if folder.exists():
            # First the stamp, so that a removal cut short cannot pass for a finished folder.
            stamp.unlink(missing_ok=True)
            shutil.rmtree(folder)
        folder.mkdir()
        make(folder)
        stamp.write_text(digest)
    return True


def _text(path):
    try:
        return path.read_text()
    except OSError:
        return None


@contextmanager
def locked(path):
    """One process at a time. The lock ends with the process that holds it, however that process ends."""
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
