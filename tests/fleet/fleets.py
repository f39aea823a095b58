"""A fleet of `stash fleet run` for a test: a small market, the controller as a process, what its folder says."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import program

PROGRAM = os.environ["STASH_PROGRAM_FILE"]
LIMIT_S = 120


def require_proxy():
    """Leaves the test where HAProxy is missing."""
    if not any(shutil.which(name) for name in ("haproxy", "/usr/sbin/haproxy")):
        print("needs Debian's haproxy")
        sys.exit(program.SKIPPED)


def machine(name="small", usd=0.5, batch_s=0.06, start_s=5, **more):
    return {"name": name, "usd_per_hour": usd, "most_batch": 8, "least_billed_s": 10,
            "times": [{"batch": 1, "s": batch_s}, {"batch": 8, "s": 2 * batch_s}],
            "start": {"machine": {"median_s": start_s, "p95_s": start_s}}, **more}


def write_market(folder, *machines):
    file = pathlib.Path(folder) / "market.json"
    file.write_text(json.dumps({"model": "tiny", "machines": machines or [machine()]}))
    return file


def eventually(condition, what, limit_s=LIMIT_S):
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"{what} did not happen within {limit_s} s")


class Fleet:
    """`stash fleet run --provider local` in a folder; the controller may be killed and started again."""

    def __init__(self, folder, *words, market=None, objective="400ms"):
        self.folder = pathlib.Path(folder) / "fleet"
        self.market = market or write_market(folder)
        self.words = [*words, "--market", str(self.market), "--objective", objective]
        self.process = None
        self.errors = open(str(self.folder) + ".err", "a")
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.errors.close()
        with contextlib.suppress(Exception):
            self.stop()
        if (self.folder / "machines.json").exists():
            subprocess.run([PROGRAM, "fleet", "stop", "--folder", str(self.folder)], timeout=LIMIT_S, check=False,
                           capture_output=True)

    def start(self):
        self.process = subprocess.Popen(
            [PROGRAM, "fleet", "run", "--provider", "local", "--model", "tiny=sleep:10ms", "--folder", str(self.folder),
             "--port", "0", "--format", "json", *self.words],
            stdout=subprocess.PIPE, stderr=self.errors, text=True)
        self.address = self.process.stdout.readline().strip()

    def kill(self):
        self.process.kill()
        self.process.communicate()

    def stop(self):
        """The summary."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return json.loads(self.process.communicate(timeout=LIMIT_S)[0])

    def state(self):
        try:
            return json.loads((self.folder / "machines.json").read_text())
        except FileNotFoundError:
            return {"machines": [], "proxy": {"pid": 0}}

    def ready(self):
        return [one for one in self.state()["machines"] if one["state"] == "ready"]

    def pids(self):
        return {server["process"]["pid"] for one in self.state()["machines"] for server in one["servers"]}

    def answered(self):
        """As the controller has counted."""
        return json.loads((self.folder / "fleet.json").read_text())["counts"]["served"]

    def events(self, kind):
        file = self.folder / "decisions.jsonl"
        lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
        return [line for line in lines if line["event"] == kind]

    def begin_load(self, rate, duration_s):
        return subprocess.Popen(
            [PROGRAM, "load", "--format", "json", "--rate", str(rate), "--for", f"{duration_s}s", "--objective", "400ms",
             "--connections", "32", self.address.removeprefix("http://") + "/tiny"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def end_load(load):
    """What came of it until now."""
    load.send_signal(signal.SIGINT)
    return json.loads(load.communicate(timeout=LIMIT_S)[0])


def lives(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False
