"""Commands with a time limit and a log; figures, failures, and what was not checked."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Characters of a failure.
TOLD = 300
# For what a command said before it was ended, if a process that left its group holds the pipe.
LAST_WORDS_S = 5
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
    # The first frames, and what they say of the machine.
    first: Done | None = None
    here: dict = field(default_factory=dict)
    running: set = field(default_factory=set)
    # Whether nothing is to run any more.
    is_over: bool = False

    def __post_init__(self):
        self.binaries = self.binaries.resolve()
        self.out = self.out.resolve()
        self.folder = tempfile.TemporaryDirectory(prefix="gpu_report_", ignore_cleanup_errors=True)
        self.scratch = Path(self.folder.name)

    def close(self):
        """Ends what still runs and removes the temporary folder."""
        self.stop()
        self.folder.cleanup()

    def stop(self):
        """Ends what still runs, and whatever is started from now on."""
        self.is_over = True
        for child in list(self.running):
            end(child)

    def require(self):
        """Binaries and a GPU, or a problem that says what is missing."""
        missing = [name for name in NEEDED if not (self.binaries / name).is_file()]
        if missing:
            raise Problem(f"no {', '.join(missing)} in {self.binaries}: make gpu-binaries, where cargo is")
        try:
            self.out.mkdir(parents=True, exist_ok=True)
            (self.out / "log.txt").write_text("")
        except OSError as error:
            raise Problem(f"--out {self.out}: {error.strerror}") from None
        done = self.call([self.binary("gpu_campaign"), "--few", "--cases", "1", "random"], 120)
        here = [value for value in objects(done.out) if "device" in value]
        if not here:
            raise Problem(f"no GPU here that can be opened: {done.ending(1)[:TOLD] or done.outcome()}")
        self.first, self.here = done, here[0]

    def tool(self, name):
        """Path of a program of CUDA, which need not be on the path; None where there is none."""
        return shutil.which(name) or shutil.which(name, path="/usr/local/cuda/bin")

    def binary(self, name):
        return self.binaries / name

    def call(self, command, limit, quiet=False, **environment):
        """Runs a command for at most `limit` seconds, with all that it started; what it says goes to the log."""
        command = [str(part) for part in command]
        begin = time.monotonic()
        try:
            # A group of its own: under a profiler or a sanitizer the program that has the GPU is a grandchild.
            child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ROOT,
                                     env=os.environ | {"NO_COLOR": "1"} | environment, start_new_session=True)
            status, said = self.await_end(child, limit)
        except OSError as error:
            status, said = 127, str(error).encode()
        done = Done(command, status, said.decode(errors="replace"), time.monotonic() - begin)
        text = done.ending(40) if quiet else done.out
        with open(self.out / "log.txt", "a") as log:
            log.write(f"$ {' '.join(command)}\n{text.rstrip()}\n[{done.outcome()}, {done.seconds:.1f} s]\n\n")
        return done

    def await_end(self, child, limit):
        """Its status, None if it had to be ended, and what it said."""
        self.running.add(child)
        try:
            if self.is_over:
                end(child)
            said, _ = child.communicate(timeout=limit)
            return child.returncode, said
        except subprocess.TimeoutExpired:
            end(child)
            try:
                return None, child.communicate(timeout=LAST_WORDS_S)[0]
            except subprocess.TimeoutExpired as late:
                return None, late.stdout or b""
        except BaseException:
            end(child)
            raise
        finally:
            self.running.discard(child)

    def together(self, function, items):
        """`function` of each item, some beside each other; the results in order."""
        with ThreadPoolExecutor(self.jobs) as pool:
            try:
                return list(pool.map(function, items))
            except (KeyboardInterrupt, SystemExit):
                # In their own groups they do not hear what a terminal sends.
                pool.shutdown(wait=False, cancel_futures=True)
                self.stop()
                raise

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


def end(child):
    """Kills a command and all that it started, which still has the GPU otherwise."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def objects(text):
    """The lines that are objects of JSON; others, warnings among them, may stand around them."""
    found = []
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            found.append(value)
    return found
