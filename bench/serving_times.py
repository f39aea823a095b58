#!/usr/bin/env python3
"""How far T(b), the predicted time of a batch in inference, is from published times.

    python3 bench/serving_times.py [--data data/inference_pytorch.csv]

Prints the error of every model, machine and type by batch, then the mean of their absolute values.
"""

import argparse
import csv
import json
import os
import statistics
import subprocess

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
STASH = os.path.join(ROOT, "build", "release", "bin", "stash")


def predicted_s(row):
    ended = subprocess.run([STASH, "serve", "predict", "--model", row["model"], "--dtype", row["dtype"], "--on",
                            row["machine"], "--max-batch", row["batch"], "--rate", "1", "--for", "3s", "--format",
                            "json"], capture_output=True, text=True, check=True)
    return json.loads(ended.stdout)["machines"][0]["batches"][-1]["s"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.path.join(ROOT, "data", "inference_pytorch.csv"))
    errors = {}
    with open(parser.parse_args().data, newline="") as file:
        for row in csv.DictReader(file):
            error = predicted_s(row) / (float(row["latency_ms"]) * 1e-3) - 1
            errors.setdefault((row["model"], row["machine"], row["dtype"]), []).append((row["batch"], error))
    for what, found in errors.items():
        print(", ".join(what) + ":", ", ".join(f"{batch}: {100 * error:+.0f} %" for batch, error in found))
    every = [abs(error) for found in errors.values() for _, error in found]
    print(f"mean absolute error of {len(every)} times: {100 * statistics.mean(every):.1f} %")


if __name__ == "__main__":
    main()
