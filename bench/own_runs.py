#!/usr/bin/env python3
"""Whether a profile predicts what other link rates, storage rates and worker counts give on the same machine.

    bench/own_runs.py --stash ./stash [--cases 24] [--max-time 20s]

One profile of resnet18 on two emulated K80s, with a link, a storage rate and a decoding time put in on purpose. From it
`stash predict --set` says what 24 other settings give; then they are measured. Printed: each part of both, in points of
the measured step.
"""

import argparse
import itertools
import json
import random
import statistics
import subprocess
import tempfile

PARTS = ("compute", "contention", "interconnect", "prep", "fetch")
RANKS = 2
LINKS_GBIT = (0.5, 1, 2, 4)
STORAGE_MB = (8, 15, 30, 60)  # of each rank
WORKERS = (1, 2, 3, 4)
BASE = (2, 30, 2)
JOB = ("--model", "resnet18", "--batch", "16", "--device", "emulated:K80", "--ranks", str(RANKS))


def stash(options, *arguments):
    run = subprocess.run([options.stash, *map(str, arguments)], capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"stash {' '.join(map(str, arguments))}: {run.stderr}")
    return run.stdout


def measure(options, out, link, storage, workers):
    stash(options, "profile", *JOB, "--workers", workers, "--max-time", options.max_time, "--out", out, "--inject",
          f"link={link}Gbit/s,read={storage}MB/s,prep={options.prep}/sample")
    return json.loads(stash(options, "report", out, "--format", "json"))["ledger"]


def predict(options, base, link, storage, workers):
    shown = stash(options, "predict", base, "--set", f"links={link}Gbit/s", "--set", f"storage={storage * RANKS}MB/s",
                  "--set", f"workers={workers}", "--format", "json")
    return json.loads(shown)["predictions"][0]["ledger"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stash", default="./stash")
    parser.add_argument("--cases", type=int, default=24)
    parser.add_argument("--max-time", default="20s")
    parser.add_argument("--prep", default="8ms", help="decoding time of a sample, slept")
    options = parser.parse_args()
    others = [case for case in itertools.product(LINKS_GBIT, STORAGE_MB, WORKERS) if case != BASE]
    cases = random.Random(1).sample(others, options.cases)
    worst, step_errors, errors = 0, [], []
    print(f"{'link':>10}{'storage':>9}{'workers':>8}{'step, ms':>10}{'predicted':>10}" + "".join(f"{p:>14}" for p in PARTS))
    with tempfile.TemporaryDirectory() as folder:
        base = f"{folder}/base.json"
        measure(options, base, *BASE)
        for case in cases:
            found, said = measure(options, f"{folder}/case.json", *case), predict(options, base, *case)
            step = found["step"]["s"]
            points = [100 * ((said["parts"][part] or {"s": 0})["s"] - found["parts"][part]["s"]) / step for part in PARTS]
            errors += [abs(point) for point in points]
            step_errors.append(abs(said["step"]["s"] / step - 1))
            worst = max(worst, *map(abs, points))
            print(f"{case[0]:>4} Gbit/s{case[1]:>4} MB/s{case[2]:>8}{step * 1e3:>10.1f}{said['step']['s'] * 1e3:>10.1f}" +
                  "".join(f"{point:>+14.2f}" for point in points), flush=True)
    print(f"parts: median {statistics.median(errors):.2f} points, worst {worst:.2f}; step: mean {100 * statistics.mean(step_errors):.2f} %")


if __name__ == "__main__":
    main()
