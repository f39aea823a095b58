#!/usr/bin/env python3
"""How much longer the cases of a battery take as separate runs of each condition, the study's way.

    bench/battery_separate.py --stash ./stash [--models alexnet,resnet18,resnet50] [--batches 64]

First the battery of the cases, one run of `stash characterize`. Then each case again: every condition as a run of its
own from a fresh start, as short as a run can be (two windows). One such set of runs gives each part once, without an
interval; sets are repeated until the part that is known least is known as well as the battery knows it. Printed, case by
case: the seconds of both, half that interval in percent of the step, the sets that it took, and the ratio. At --most-sets
a case is given up: its ratio is a lower bound, marked >.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import tempfile
import time

# Student's t for a 95 % interval, by degrees of freedom.
T = (math.inf, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131)


def stash(options, *arguments):
    run = subprocess.run([options.stash, *map(str, arguments)], capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"stash {' '.join(map(str, arguments))}: {run.stderr}")
    return run.stdout


def step_s(options, profile, condition, out):
    """The mean step of a run that knows one condition only."""
    job = profile["job"]
    stash(options, "profile", "--model", job["model"], "--batch", job["batch"], "--ranks", job["ranks"], "--device",
          job["device"], "--workers", job["workers"], "--data", job["data"], "--conditions", condition, "--rounds", 2,
          "--max-time", "1s", "--out", out)
    windows = json.loads(out.read_text())["windows"]
    slowest = (max(rank["wall_s"] for rank in window["ranks"] if rank) / window["steps"] for window in windows)
    return statistics.mean(slowest)


def conditions_of(profile):
    order = ("solo", "apart", "node", "joined", "staged", "hot", "cold")
    return sorted({window["condition"] for window in profile["windows"]}, key=order.index)


def half_widths(sets):
    """Of each part, from sets of steps by condition."""
    widths = []
    for place in range(len(sets[0])):
        parts = [one[place] - (one[place - 1] if place else 0) for one in sets]
        widths.append(T[len(sets) - 1] * statistics.stdev(parts) / math.sqrt(len(sets)))
    return widths


def separate(options, path, out):
    """(seconds, sets, known, enough): the battery's half width as a share of the step, and whether it was reached."""
    profile = json.loads(path.read_text())
    ledger = json.loads(stash(options, "report", path, "--format", "json"))["ledger"]
    known_s = max((part["high_s"] - part["low_s"]) / 2 for part in ledger["parts"].values() if part)
    started, sets = time.monotonic(), []
    enough = False
    while not enough and len(sets) < options.most_sets:
        sets.append([step_s(options, profile, condition, out) for condition in conditions_of(profile)])
        enough = len(sets) >= 2 and max(half_widths(sets)) <= known_s
    return time.monotonic() - started, len(sets), known_s / ledger["step"]["s"], enough


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stash", default="./stash")
    parser.add_argument("--models", default="alexnet,resnet18,resnet50")
    parser.add_argument("--batches", default="64")
    parser.add_argument("--most-sets", type=int, default=12)
    options = parser.parse_args()
    together_s = apart_s = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        stash(options, "characterize", "--out", folder / "vm", "--models", options.models, "--batches", options.batches)
        print(f"{'case':<44}{'known to':>10}{'in the battery, s':>19}{'separate, s':>13}{'sets':>6}{'times':>8}", flush=True)
        for path in sorted((folder / "vm" / "cases").glob("*.json")):
            own_s = json.loads(path.read_text())["elapsed_s"]
            case_s, sets, known, enough = separate(options, path, folder / "one.json")
            together_s, apart_s = together_s + own_s, apart_s + case_s
            times = f"{'' if enough else '>'}{case_s / own_s:.1f}"
            print(f"{path.stem:<44}{f'±{known:.1%}':>10}{own_s:>19.1f}{case_s:>13.1f}{sets:>6}{times:>8}", flush=True)
    print(f"in the battery {together_s:.0f} s, separate {apart_s:.0f} s: {apart_s / together_s:.1f} times as long")


if __name__ == "__main__":
    main()
