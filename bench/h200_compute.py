#!/usr/bin/env python3
"""The compute of a step of every built-in model on this machine's GPU, at three batches, in fp32 and in bf16.

    bench/h200_compute.py                                  # measures, in less than eight minutes
    build/release/bench/h200_steps --fit                   # predicted beside measured, and the coefficients fitted again
    bench/set_keys.py --folder build/h200                  # each of these profiles predicted from the others

Runs `stash characterize --conditions solo` with one rank for each data type, into folders below --folder. Its ranks stay
from case to case, so a case takes about two seconds. A run that was interrupted, or that reached --max-time, resumes when
the command is given again. A case that does not fit into the GPU's memory is left out and named. Rows of --source in
--out are replaced, all others stay. Without --all-depths, ResNets that `stash models` lists beside torchvision's are
left out: they consist of the same layers.
"""

import argparse
import csv
import json
import os
import pathlib
import re
import subprocess
import time

COLUMNS = ("model", "batch", "dtype", "channels_last", "compute_s", "low_s", "high_s", "source")
IMAGE_BATCHES = (32, 64, 128)
SEQUENCE_BATCHES = (4, 8, 32)
OWN_DEPTHS = re.compile(r"resnet(10|12|16)$|_nobn$|_noshortcut$")


def models(options):
    if options.models:
        return options.models.split(",")
    listed = subprocess.run([options.stash, "models", "--format", "json"], check=True, capture_output=True, text=True)
    names = [model["name"] for model in json.loads(listed.stdout)["models"]]
    return [name for name in names if options.all_depths or not OWN_DEPTHS.search(name)]


def suites(options):
    """(folder, models, batches, type) of every call of stash characterize."""
    names = models(options)
    text = [name for name in names if name.startswith(("bert", "gpt"))]
    images = [name for name in names if name not in text]
    for dtype in options.dtypes.split(","):
        for kind, chosen, batches in (("images", images, IMAGE_BATCHES), ("text", text, SEQUENCE_BATCHES)):
            if chosen:
                yield options.folder / f"{kind}-{dtype}", chosen, batches, dtype


def characterize(options, suite, limit_s):
    """Measures what is not in the folder yet, and returns all its cases."""
    folder, names, batches, dtype = suite
    command = [options.stash, "characterize", "--out", str(folder), "--models", ",".join(names), "--batches",
               ",".join(map(str, batches)), "--dtype", dtype, "--device", options.device, "--ranks", "1", "--conditions",
               "solo", "--precision", "1%", "--case-time", options.case_time, "--max-time", f"{limit_s:.0f}s", "--format",
               "json"]
    if options.python:
        command += ["--python", options.python]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)  # a case that fails is named below
    shown = subprocess.run([options.stash, "report", str(folder), "--format", "json"], check=True, capture_output=True,
                           text=True)
    return json.loads(shown.stdout)["cases"]


def measured(options):
    """(model, batch, dtype, part of the ledger) of every case that was measured. The calls share the time that is left by cases."""
    end = time.monotonic() + options.max_time
    todo = list(suites(options))
    while todo:
        cases = [len(names) * len(batches) for _, names, batches, _ in todo]
        limit_s = max(1, (end - time.monotonic()) * cases[0] / sum(cases))
        suite = todo.pop(0)
        for case in characterize(options, suite, limit_s):
            compute = case["ledger"] and case["ledger"]["parts"]["compute"]
            if compute:
                yield case["model"], case["batch"], suite[-1], compute
            else:
                print(f"{case['model']} {case['batch']} {suite[-1]}: left out: {case['why'] or 'no time was left'}", flush=True)


def rows_of_others(options):
    if not os.path.exists(options.out):
        return []
    with open(options.out, encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["source"] != options.source]


def write(options, rows):
    """Whole or not at all: what is there is not lost if this is interrupted."""
    partial = f"{options.out}.partial"
    with open(partial, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    os.replace(partial, options.out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stash", default="./stash")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("build/h200"), help="for the profiles")
    parser.add_argument("--out", default="data/h200_steps.csv", help="CSV file whose rows are replaced or added to")
    parser.add_argument("--source", default="bench/h200_compute.py", help="what to write into the source column")
    parser.add_argument("--models", help="comma list; default: all")
    parser.add_argument("--dtypes", default="fp32,bf16")
    parser.add_argument("--case-time", default="1s", help="limit of a case; two rounds are always measured")
    parser.add_argument("--max-time", type=float, default=450, help="seconds for all cases together")
    parser.add_argument("--device", default="cuda", help="emulated:H200 tries the command without a GPU")
    parser.add_argument("--python", help="as of stash characterize")
    parser.add_argument("--all-depths", action="store_true")
    options = parser.parse_args()
    rows = rows_of_others(options)
    for model, batch, dtype, compute in measured(options):
        low, high = (f"{compute[end]:.5g}" if compute[end] is not None else "" for end in ("low_s", "high_s"))
        rows.append(dict(zip(COLUMNS, (model, batch, dtype, "no", f"{compute['s']:.5g}", low, high, options.source))))
        print(f"{model} {batch} {dtype}: {compute['s'] * 1e3:.2f} ms", flush=True)
    write(options, rows)


if __name__ == "__main__":
    main()
