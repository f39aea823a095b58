#!/usr/bin/env python3
"""How long a new user waits: wall and CPU seconds of each stage from a clone on, with nothing cached and no ccache.

    bench/first_run.py [--stages help,program,rest,extension,ledger,nothing,tests] [--against REVISION] [--keep]

Each stage starts from what the ones before it left. `program` is what a verb without torch waits for; `rest` is what a
verb that the first program does not have waits for after that; `extension` has torch present; `ledger` is `./stash
profile` in a second fresh clone with a cache of its own, PyTorch's download, the data set and the measurement included;
`tests` is `./test` in a third one. With --against, an older revision does the same in turns with this one. Debian
packages that are installed stay installed.
"""

import argparse
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).parents[1]
STAGES = ("help", "program", "rest", "extension", "ledger", "nothing", "tests")
TARGETS_S = {"help": 1, "program": 75, "rest": None, "extension": 60, "ledger": 240, "nothing": 0.05, "tests": 720}


class Place:
    """A clone of one revision with a home, a cache and a PATH without ccache."""

    def __init__(self, folder, revision):
        self.checkout = folder / "stash"
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(self.checkout)], check=True)
        subprocess.run(["git", "-C", str(self.checkout), "checkout", "--quiet", revision], check=True)
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith("STASH_") and name not in ("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH")}
        self.environment |= {"HOME": str(folder / "home"), "XDG_CACHE_HOME": str(folder / "cache"),
                             "PIP_NO_CACHE_DIR": "1", "PATH": path_without_ccache(folder)}
        (folder / "home").mkdir()

    def run(self, *command):
        """(wall s, CPU s, output) of a command that must end well."""
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        done = subprocess.run(command, cwd=self.checkout, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        wall_s, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-4000:]}")
        return wall_s, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout


def path_without_ccache(folder):
    """PATH, with a folder in front in which ccache stands for what it is called with."""
    tools = folder / "tools"
    tools.mkdir()
    (tools / "ccache").write_text('#!/bin/sh\nexec "$@"\n')
    (tools / "ccache").chmod(0o755)
    return f"{tools}:{os.environ['PATH']}"


def predicted_s(output):
    """The first time that the set-up said was left, of the line that says so."""
    found = re.search(r"about (?:(\d+) min )?(\d+) s left", output)
    return 60 * int(found.group(1) or 0) + int(found.group(2)) if found else None


def measure(stage, folder, revision, shared):
    """(wall s, CPU s, what the set-up had predicted) of a stage."""
    def fresh():
        shared.pop("place", None)
        place_folder = pathlib.Path(tempfile.mkdtemp(dir=folder, prefix=f"{stage}-"))
        shared["place"] = Place(place_folder, revision)
        return shared["place"]

    if stage == "help":
        wall_s, cpu_s, _ = fresh().run("./stash", "profile", "--help")
        return wall_s, cpu_s, None
    if stage == "program":
        wall_s, cpu_s, output = (shared.get("place") or fresh()).run("./stash", "models")
        return wall_s, cpu_s, predicted_s(output)
    if stage == "rest":
        place = shared.get("place") or fresh()
        place.run("./stash", "models")  # so that the first program is not part of it
        wall_s, cpu_s, output = place.run("./stash", "plan", "--model", "resnet50", "--on", "4xV100+4xT4", "--network", "25Gbit/s")
        return wall_s, cpu_s, predicted_s(output)
    if stage == "extension":
        place = shared.get("place") or fresh()
        requirements = str(place.checkout / "python/requirements.txt")
        place.run(sys.executable, "-m", "venv", str(place.checkout / ".venv"))
        place.run(".venv/bin/python", "-m", "pip", "install", "--quiet", "--no-compile", "-r", requirements)
        shutil.copy(requirements, place.checkout / ".venv/stamp")
        place.run("./stash", "models")  # so that the program is not part of it
        wall_s, cpu_s, output = place.run("./stash", "extension")
        return wall_s, cpu_s, predicted_s(output)
    if stage == "ledger":
        place = fresh()
        wall_s, cpu_s, output = place.run("./stash", "profile")
        return wall_s, cpu_s, None
    if stage == "nothing":
        place = shared.get("place") or fresh()
        place.run("./stash", "models")
        runs = sorted(place.run("./stash", "--version")[:2] for _ in range(15))
        return *runs[len(runs) // 2], None
    wall_s, cpu_s, output = fresh().run("./test")
    print(output.splitlines()[-1], flush=True)
    return wall_s, cpu_s, None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stages", default="help,program,extension,ledger,nothing",
                        help="comma separated; default: all but tests")
    parser.add_argument("--against", metavar="REVISION", help="measure this revision too, stage by stage in turns")
    parser.add_argument("--keep", action="store_true", help="leave the clones behind")
    options = parser.parse_args()
    stages = options.stages.split(",")
    if unknown := set(stages) - set(STAGES):
        parser.error(f"no such stage: {', '.join(sorted(unknown))}; there are {', '.join(STAGES)}")
    revisions = ["HEAD"] + ([options.against] if options.against else [])
    folder = pathlib.Path(tempfile.mkdtemp(prefix="stash-first-run-"))
    shared = {revision: {} for revision in revisions}
    print(f"{'stage':10} {'revision':>14} {'wall s':>8} {'CPU s':>8} {'target s':>9} {'predicted s':>12}")
    for stage in STAGES:
        for revision in revisions if stage in stages else ():
            wall_s, cpu_s, predicted = measure(stage, folder, revision, shared[revision])
            print(f"{stage:10} {revision[:14]:>14} {wall_s:8.2f} {cpu_s:8.2f} {TARGETS_S[stage] or '-':>9} "
                  f"{predicted if predicted is not None else '-':>12}", flush=True)
    if options.keep:
        print(f"clones: {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
