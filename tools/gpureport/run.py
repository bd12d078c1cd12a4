"""Commands with a time limit and a log; figures, failures, and what was not checked."""

import os
import shutil
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Characters of a failure.
TOLD = 300
NEEDED = ("vio_frontend", "gpu_campaign", "gpu_live", "gpu_profile")


class Problem(Exception):
    """Ends the report with this message: there is nothing to run, or nothing to run it on."""


@dataclass
class Done:
    """A command that ended, or was ended."""

    command: list
    # None: it was still running when its time was over.
    status: int | None
    out: str
    seconds: float

    def ending(self, lines=12):
        return "\n".join(self.out.splitlines()[-lines:])

    def outcome(self):
        return "not ended in time" if self.status is None else f"status {self.status}"


@dataclass
class Run:
    binaries: Path
    out: Path
    data: Path | None = None
    jobs: int = 8
    figures: dict = field(default_factory=dict)
    failures: list = field(default_factory=list)
    unchecked: list = field(default_factory=list)
    # The first frames, which say what is here.
    first: Done | None = None

    def __post_init__(self):
        self.binaries = self.binaries.resolve()
        self.out = self.out.resolve()
        self.scratch = Path(tempfile.mkdtemp(prefix="gpu_report_"))

    def require(self):
        """Binaries and a GPU, or a problem that says what is missing."""
        missing = [name for name in NEEDED if not (self.binaries / name).is_file()]
        if missing:
            raise Problem(f"no {', '.join(missing)} in {self.binaries}: make gpu-binaries, where cargo is")
        self.out.mkdir(parents=True, exist_ok=True)
        (self.out / "log.txt").write_text("")
        done = self.call([self.binary("gpu_campaign"), "--few", "--cases", "1", "random"], 120)
        if not done.out.startswith("{"):
            raise Problem(f"no GPU here that can be opened: {done.ending(1)[:TOLD] or done.outcome()}")
        self.first = done

    def tool(self, name):
        """Path of a program of CUDA, which need not be on the path; None where there is none."""
        return shutil.which(name) or shutil.which(name, path="/usr/local/cuda/bin")

    def binary(self, name):
        return self.binaries / name

    def call(self, command, limit, quiet=False, **environment):
        """Runs a command for at most `limit` seconds; what it says goes to the log."""
        command = [str(part) for part in command]
        begin = time.monotonic()
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit,
                                  env=os.environ | {"NO_COLOR": "1"} | environment, cwd=ROOT)
            status, said = done.returncode, done.stdout
        except subprocess.TimeoutExpired as late:
            status, said = None, late.stdout or b""
        except OSError as error:
            status, said = 127, str(error).encode()
        done = Done(command, status, said.decode(errors="replace"), time.monotonic() - begin)
        text = done.ending(40) if quiet else done.out
        with open(self.out / "log.txt", "a") as log:
            log.write(f"$ {' '.join(command)}\n{text.rstrip()}\n[{done.outcome()}, {done.seconds:.1f} s]\n\n")
        return done

    def together(self, function, items):
        """`function` of each item, some beside each other; the results in order."""
        with ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(function, items))

    def section(self, name, function):
        begin = time.monotonic()
        before = len(self.failures)
        try:
            self.figures[name] = function(self)
        except (OSError, ValueError, KeyError, IndexError) as error:
            self.fail(f"{name}: {type(error).__name__}: {error}")
        failed = len(self.failures) - before
        print(f"{name}: {f'{failed} FAILED' if failed else 'ok'}, {time.monotonic() - begin:.0f} s", flush=True)

    def fail(self, text):
        """One more failure; the log has what is too long to be told here."""
        text = text if len(text) <= TOLD else f"{text[:TOLD]} ..."
        self.failures.append(text)
        print(f"    FAILED: {text}", flush=True)

    def not_checked(self, text):
        self.unchecked.append(text)
