"""Runs the program as a user would, and looks at what it leaves behind."""

import contextlib
import dataclasses
import importlib.util
import json
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid

ROOT = pathlib.Path(os.environ.get("STASH_ROOT", pathlib.Path(__file__).parents[2]))
PROGRAM = os.environ.get("STASH_PROGRAM_FILE", "")
SKIPPED = 77  # what ctest takes for a skipped test
MARK = "STASH_TEST_MARK"  # a variable that every process of one run inherits


def require_program(extension=True):
    """Leaves the test where the program, or the extension that ranks load, was not built."""
    if not os.access(PROGRAM, os.X_OK):
        print("the stash program is not built")
        sys.exit(SKIPPED)
    if not extension:
        return
    for module in ("torch", "_stash"):
        if importlib.util.find_spec(module) is None:  # importing it would take seconds
            print(f"the torch extension cannot be loaded: there is no module {module}")
            sys.exit(SKIPPED)


@dataclasses.dataclass
class Result:
    code: int
    out: str
    err: str
    seconds: float

    def json(self):
        return json.loads(self.out)


class Terminal:
    """Stands for the terminal that progress is drawn on; `text` is what came so far."""

    def __init__(self):
        self.own, self.other = pty.openpty()
        self.text = ""
        self.reader = threading.Thread(target=self.read)

    def read(self):
        with contextlib.suppress(OSError):  # how the other end's close looks here
            while piece := os.read(self.own, 65536):
                self.text += piece.decode(errors="replace").replace("\r\n", "\n")

    def start(self):
        os.close(self.other)
        self.reader.start()

    def close(self):
        self.reader.join()
        os.close(self.own)


class Run:
    """One call of the program; its processes can be found while it runs and after it."""

    def __init__(self, *arguments, cwd=None, program=PROGRAM, **variables):
        self.mark = uuid.uuid4().hex
        environment = {**os.environ, MARK: self.mark, **{name: str(value) for name, value in variables.items()}}
        self.terminal = Terminal()
        self.started = time.monotonic()
        self.process = subprocess.Popen([program, *map(str, arguments)], cwd=cwd, env=environment, text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.terminal.other,
                                        errors="replace")
        self.terminal.start()

    def finish(self, timeout=120):
        timed_out = False
        try:
            out, _ = self.process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            timed_out = True
            self.kill_all()
            out, _ = self.process.communicate()
        seconds = time.monotonic() - self.started
        self.terminal.close()
        if timed_out:
            raise AssertionError(f"did not end within {timeout} s:\n{out}\n{self.terminal.text}")
        return Result(self.process.returncode, out, self.terminal.text, seconds)

    def kill_all(self):
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def processes(self):
        """The live processes of this run, by their environment: {pid: variables}."""
        found = {}
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                text = (folder / "environ").read_bytes().decode(errors="replace")
                variables = dict(entry.split("=", 1) for entry in text.split("\0") if "=" in entry)
                if variables.get(MARK) == self.mark and int(folder.name) != os.getpid():
                    found[int(folder.name)] = variables
        return found

    def ranks(self):
        return {int(variables["RANK"]): pid for pid, variables in self.processes().items() if "RANK" in variables}

    def wait_until(self, condition, timeout=60):
        """What `condition` returns once it is true; the run must still be going on."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline and self.process.poll() is None:
            value = condition()
            if value:
                return value
            time.sleep(0.05)
        self.kill_all()
        raise AssertionError(f"waited in vain: {self.finish()}")

    def survivors(self, patience=5):
        """Processes that outlive the program, after a moment for the kernel to take them down."""
        deadline = time.monotonic() + patience
        while (left := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return left


def stash(*arguments, timeout=120, **options):
    return Run(*arguments, **options).finish(timeout)


class Folder:
    """A folder for one test class, on a file system whose pages can be evicted where the working folder's can."""

    def __init__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="stash-test-", dir=os.getcwd()))

    def close(self):
        shutil.rmtree(self.path, ignore_errors=True)

    def images(self, count, size="160x120", name="images"):
        path = self.path / name
        made = stash("dataset", "make", path, "--images", count, "--size", size)
        if made.code != 0:
            raise AssertionError(made.err)
        return path

    def equal_images(self, count, size):
        """Files of one size, so that every batch takes equally long to read."""
        path = self.images(count, size)
        files = sorted(path.rglob("*.jpg"))
        for file in files[1:]:
            shutil.copyfile(files[0], file)
        return path, files[0].stat().st_size
