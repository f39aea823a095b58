#!/usr/bin/env python3
"""Whether one profile predicts the same model with another batch or type on the same GPU.

    bench/set_keys.py --stash ./stash --models resnet50,bert_base,vgg16 --batches 32,128 --dtypes fp32,bf16
    bench/set_keys.py --folder build/h200        # with the profiles that bench/h200_compute.py made: no GPU is needed

Profiles every model with every batch and type, on the GPU or, with --device emulated:A100, on an emulated one. From each
profile `stash predict --set batch=... --set dtype=...` says what the others take. Printed: compute of each pair, and the
errors. An emulated GPU takes what the roofline says, so there the errors are those of the method alone.
"""

import argparse
import itertools
import json
import pathlib
import statistics
import subprocess
import tempfile


def stash(options, *arguments):
    run = subprocess.run([options.stash, *map(str, arguments)], capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"stash {' '.join(map(str, arguments))}: {run.stderr}")
    return run.stdout


def compute_s(ledger):
    return ledger["parts"]["compute"]["s"]


def profile(options, out, model, batch, dtype):
    job = ["--model", model, "--batch", batch, "--dtype", dtype, "--ranks", 1, "--max-time", options.max_time]
    job += ["--conditions", "solo"] + (["--device", options.device] if options.device else [])
    job += ["--python", options.python] if options.python else []
    stash(options, "profile", *job, "--out", out)
    return compute_s(json.loads(stash(options, "report", out, "--format", "json"))["ledger"])


def predict(options, base, batch, dtype):
    shown = stash(options, "predict", base, "--set", f"batch={batch}", "--set", f"dtype={dtype}", "--format", "json")
    found = json.loads(shown)["predictions"][0]
    compute = found["ledger"]["parts"]["compute"]
    return compute["s"], compute["low_s"], compute["high_s"]


def measured_here(options, folder):
    """{model: {(batch, dtype): (file, seconds)}}, measured now."""
    cases = [(int(batch), dtype) for batch in options.batches.split(",") for dtype in options.dtypes.split(",")]
    for model in options.models.split(","):
        files = {case: folder / f"{model}-{case[0]}-{case[1]}.json" for case in cases}
        yield model, {case: (file, profile(options, file, model, *case)) for case, file in files.items()}


def measured_before(options):
    """The same from the folders of `stash characterize` below --folder."""
    models = {}
    for file in sorted(options.folder.glob("*/cases/*.json")):
        job = json.loads(file.read_text(encoding="utf-8"))["job"]
        ledger = json.loads(stash(options, "report", file, "--format", "json"))["ledger"]
        if not ledger["parts"]["compute"]:
            continue
        models.setdefault(job["model"], {})[job["batch"], job["dtype"]] = file, compute_s(ledger)
    return models.items()


def compare(options, measured):
    for start, end in itertools.permutations(measured, 2):
        said, low, high = predict(options, measured[start][0], *end)
        yield start, end, said, measured[end][1], low <= measured[end][1] <= high


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stash", default="./stash")
    parser.add_argument("--models", default="resnet50,bert_base,vgg16")
    parser.add_argument("--batches", default="32,128")
    parser.add_argument("--dtypes", default="fp32,bf16")
    parser.add_argument("--device", help="default: the GPU")
    parser.add_argument("--python", help="as of stash profile")
    parser.add_argument("--max-time", default="30s", help="of each profile")
    parser.add_argument("--folder", type=pathlib.Path, help="of bench/h200_compute.py: its profiles, instead of new ones")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the profiles; default: they are thrown away")
    options = parser.parse_args()
    errors, covered = {"batch": [], "type": [], "both": []}, []
    print("| model | from | to | predicted, ms | measured, ms | error |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for model, measured in measured_before(options) if options.folder else measured_here(options, folder):
            for start, end, said, found, inside in compare(options, measured):
                error = 100 * (said / found - 1)
                kind = "both" if start[0] != end[0] and start[1] != end[1] else "type" if start[0] == end[0] else "batch"
                errors[kind].append(abs(error))
                covered.append(inside)
                print(f"| {model} | {start[0]}, {start[1]} | {end[0]}, {end[1]} | {said * 1e3:.2f} | {found * 1e3:.2f} | {error:+.2f} % |",
                      flush=True)
    for kind, values in errors.items():
        if values:
            print(f"{kind} changed: mean {statistics.mean(values):.2f} %, worst {max(values):.2f} % of {len(values)}")
    print(f"inside the 95 % interval: {sum(covered)} of {len(covered)}")


if __name__ == "__main__":
    main()
