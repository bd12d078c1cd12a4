"""Programs that only pretend, in place of those that need a GPU."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools"))

from gpureport import run  # noqa: E402

GROUP = {"group": "random", "cases": 2, "frames": 6, "launches": 18, "features": 5, "descriptors": 4, "tracks": 3,
         "different": 0, "differences": [], "error": None}
HERE = {"device": "Card", "driver": [13, 0], "nvrtc": [13, 0], "kept_ptx": []}


def interruptible():
    """In a child: as from a terminal. What a shell starts in the background ignores interrupts, and hands that on."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class WithPrograms(unittest.TestCase):
    """A folder of programs that say what they are told to."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.binaries, self.tools = self.folder / "binaries", self.folder / "tools"
        for name in run.NEEDED:
            self.program(self.binaries / name, "exit 0")
        self.program(self.tools / "nvidia-smi", "echo 1.2, 2 MiB, 3 MHz")
        self.campaign(HERE, GROUP)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()

    def program(self, path, script):
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def campaign(self, *lines, status=0):
        said = "\n".join(json.dumps(line) for line in lines)
        self.program(self.binaries / "gpu_campaign", f"cat <<'END'\n{said}\nEND\nexit {status}")

    def start_report(self, *options):
        """The whole program. Of an option that is given twice the later counts."""
        command = [sys.executable, REPOSITORY / "tools" / "gpu_report.py", "--binaries", self.binaries,
                   "--out", self.folder / "out", *options]
        environment = os.environ | {"PATH": f"{self.tools}:{os.environ['PATH']}", "TMPDIR": str(self.temporary)}
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment,
                                preexec_fn=interruptible)

    def run_report(self, *options):
        """(status, what it said)."""
        with self.start_report(*options) as report:
            said, _ = report.communicate(timeout=120)
        self.assertEqual(list(self.temporary.iterdir()), [], "the temporary folder is left")
        return report.returncode, said

    def new_run(self):
        made = run.Run(self.binaries, self.folder / "out")
        self.addCleanup(made.close)
        made.out.mkdir(exist_ok=True)
        return made

    def until_gone(self, pid):
        """The process has ended, if perhaps nobody has asked for its status yet."""
        stat = Path(f"/proc/{pid}/stat")
        for _ in range(500):
            try:
                if stat.read_text().rpartition(")")[2].split()[0] in "ZX":
                    return
            except (FileNotFoundError, ProcessLookupError):
                return
            time.sleep(0.02)
        self.fail(f"{pid} still runs")

    def done(self, *lines, status=0):
        return run.Done(["gpu_campaign", "random"], status, "\n".join(json.dumps(line) for line in lines), 1.0)
