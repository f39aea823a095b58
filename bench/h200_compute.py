#!/usr/bin/env python3
"""The compute of a step of every built-in model on this machine's GPU, at three batches, in fp32 and in bf16.

    bench/h200_compute.py --stash ./stash --folder cases --out data/h200_steps.csv

Runs `stash characterize --conditions solo` with one rank for each data type, into folders below --folder. Its ranks stay
from case to case, so a case takes a few seconds, and a run that was interrupted resumes. A case that does not fit into
the GPU's memory is left out and named. Print predicted beside measured with bench/h200_steps --data FILE. Without
--all-depths, ResNets that `stash models` lists beside torchvision's are left out: they consist of the same layers.
"""

import argparse
import csv
import json
import pathlib
import re
import subprocess

COLUMNS = ("model", "batch", "dtype", "channels_last", "compute_s", "source")
IMAGE_BATCHES = (32, 64, 128)
SEQUENCE_BATCHES = (4, 8, 32)
OWN_DEPTHS = re.compile(r"resnet(10|12|16)$|_nobn$|_noshortcut$")


def models(options):
    if options.models:
        return options.models.split(",")
    listed = subprocess.run([options.stash, "models", "--format", "json"], check=True, capture_output=True, text=True)
    names = [model["name"] for model in json.loads(listed.stdout)["models"]]
    return [name for name in names if options.all_depths or not OWN_DEPTHS.search(name)]


def characterize(options, folder, names, batches, dtype):
    """Measures what is not in the folder yet, and returns the rows of all its cases."""
    command = [options.stash, "characterize", "--out", str(folder), "--models", ",".join(names), "--batches",
               ",".join(map(str, batches)), "--dtype", dtype, "--device", "cuda", "--ranks", "1", "--conditions", "solo",
               "--precision", "1%", "--case-time", options.case_time, "--format", "json"]
    if options.python:
        command += ["--python", options.python]
    if options.max_time:
        command += ["--max-time", options.max_time]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)  # a case that fails is named below
    shown = subprocess.run([options.stash, "report", str(folder), "--format", "json"], check=True, capture_output=True,
                           text=True)
    return json.loads(shown.stdout)["cases"]


def measured(options):
    """(model, batch, dtype, seconds) of every case that was measured."""
    names = models(options)
    text = [name for name in names if name.startswith(("bert", "gpt"))]
    images = [name for name in names if name not in text]
    for dtype in options.dtypes.split(","):
        for kind, chosen, batches in (("images", images, IMAGE_BATCHES), ("text", text, SEQUENCE_BATCHES)):
            if not chosen:
                continue
            for case in characterize(options, options.folder / f"{kind}-{dtype}", chosen, batches, dtype):
                compute = case["ledger"] and case["ledger"]["parts"]["compute"]
                if compute:
                    yield case["model"], case["batch"], dtype, compute["s"]
                else:
                    print(f"{case['model']} {case['batch']} {dtype}: left out: {case['why']}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stash", default="./stash")
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="for the results of stash characterize")
    parser.add_argument("--out", required=True, help="CSV file to write")
    parser.add_argument("--source", default="bench/h200_compute.py", help="what to write into the source column")
    parser.add_argument("--models", help="comma list; default: all")
    parser.add_argument("--dtypes", default="fp32,bf16")
    parser.add_argument("--case-time", default="2s", help="limit of a case; two rounds are always measured")
    parser.add_argument("--max-time", help="limit of each of the calls of stash characterize")
    parser.add_argument("--python", help="as of stash characterize")
    parser.add_argument("--all-depths", action="store_true")
    options = parser.parse_args()
    with open(options.out, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for model, batch, dtype, seconds in measured(options):
            writer.writerow([model, batch, dtype, "no", f"{seconds:.5g}", options.source])
            print(f"{model} {batch} {dtype}: {seconds * 1e3:.2f} ms", flush=True)


if __name__ == "__main__":
    main()
