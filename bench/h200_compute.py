#!/usr/bin/env python3
"""The compute of a step of every built-in model on this machine's GPU, at three batches, in fp32 and in bf16.

    bench/h200_compute.py --stash ./stash --out data/h200_steps.csv

Each case is one `stash profile --conditions solo` with one rank: about 20 s. Rows are written as they are measured, so a
run that was interrupted resumes; a case that does not fit into the GPU's memory is left out and named. Print predicted
beside measured with bench/h200_steps --data FILE. Without --all-depths, ResNets that `stash models` lists beside
torchvision's are left out: they consist of the same layers.
"""

import argparse
import csv
import json
import os
import re
import subprocess
import tempfile

COLUMNS = ("model", "batch", "dtype", "channels_last", "compute_s", "source")
IMAGE_BATCHES = (32, 64, 128)
SEQUENCE_BATCHES = (4, 8, 32)
OWN_DEPTHS = re.compile(r"resnet(10|12|16)$|_nobn$|_noshortcut$")


def models(options):
    listed = subprocess.run([options.stash, "models", "--format", "json"], check=True, capture_output=True, text=True)
    names = [model["name"] for model in json.loads(listed.stdout)["models"]]
    return [name for name in names if options.all_depths or not OWN_DEPTHS.search(name)]


def compute_s(options, model, batch, dtype):
    """Seconds of the GPU's own work, or the reason why there are none."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            [options.stash, "profile", "--model", model, "--batch", str(batch), "--dtype", dtype, "--device", "cuda",
             "--ranks", "1", "--conditions", "solo", "--max-time", options.max_time, "--format", "json", "--out",
             os.path.join(folder, "profile.json"), *(["--channels-last"] if options.channels_last else [])],
            capture_output=True, text=True)
    if run.returncode:
        return None, run.stderr.strip().splitlines()[-1:]
    return json.loads(run.stdout)["ledger"]["parts"]["compute"]["s"], None


def measured_before(path):
    if not os.path.exists(path):
        return set()
    with open(path, encoding="utf-8", newline="") as file:
        return {tuple(row[column] for column in COLUMNS[:4]) for row in csv.DictReader(file)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stash", default="./stash")
    parser.add_argument("--out", required=True)
    parser.add_argument("--source", default="bench/h200_compute.py", help="what to write into the source column")
    parser.add_argument("--max-time", default="15s")
    parser.add_argument("--channels-last", action="store_true")
    parser.add_argument("--all-depths", action="store_true")
    options = parser.parse_args()
    done = measured_before(options.out)
    with open(options.out, "a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if not done:
            writer.writerow(COLUMNS)
        for model in models(options):
            is_text = model.startswith(("bert", "gpt"))
            for batch in SEQUENCE_BATCHES if is_text else IMAGE_BATCHES:
                for dtype in ("fp32", "bf16"):
                    key = (model, str(batch), dtype, "yes" if options.channels_last else "no")
                    if key in done:
                        continue
                    seconds, reason = compute_s(options, model, batch, dtype)
                    if seconds is None:
                        print(f"{model} {batch} {dtype}: left out: {reason}", flush=True)
                        continue
                    writer.writerow([*key, f"{seconds:.5g}", options.source])
                    file.flush()
                    print(f"{model} {batch} {dtype}: {seconds * 1e3:.2f} ms", flush=True)


if __name__ == "__main__":
    main()
