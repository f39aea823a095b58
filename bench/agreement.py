#!/usr/bin/env python3
"""Whether the ledger of a script is that of a built-in job that does the same.

    bench/agreement.py --stash ./stash --data FOLDER [--batch 128]

resnet18 on two ranks over Gloo, the same images, the same batch: once as `stash profile` trains it, once as a plain
PyTorch script under `stash run`, one after the other, twice each. The script's loader is not the built-in job's: what
it costs is also taken from the script alone, without Stash, as the difference of its step with the loader and on one
batch that is used again. Needs a GPU and torchvision; images so small that decoding keeps up show the rest best.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

PARTS = ("compute", "contention", "interconnect", "copy", "prep", "fetch")


def ledger(stash, out):
    shown = subprocess.run([stash, "report", out, "--format", "json"], check=True, stdout=subprocess.PIPE)
    return json.loads(shown.stdout)["ledger"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stash", default="./stash")
    parser.add_argument("--data", required=True)
    parser.add_argument("--batch", default="128")
    parser.add_argument("--workers", default="6")
    parser.add_argument("--max-time", default="40s")
    parser.add_argument("--turns", default=2)
    options = parser.parse_args()
    script = pathlib.Path(__file__).parent / "resnet18_script.py"
    shared = ["--max-time", options.max_time]
    commands = {
        "profile": [options.stash, "profile", "--model", "resnet18", "--batch", options.batch, "--ranks", "2", "--backend",
                    "gloo", "--workers", options.workers, "--data", options.data, *shared],
        "run": [options.stash, "run", "--data", options.data, *shared],
    }
    command = ["--", sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", str(script), "--data",
               options.data, "--batch", options.batch, "--workers", options.workers]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(int(options.turns)):
            for name, start in commands.items():
                out = f"{folder}/{name}-{turn}.json"
                subprocess.run([*start, "--out", out, *(command if name == "run" else [])], check=True,
                               stdout=subprocess.DEVNULL)
                rows.append((name, ledger(options.stash, out)))
    alone = [float(subprocess.run([*command[1:], "--time", "100", *flags], check=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True).stdout) for flags in ([], ["--again"])]
    print(f"{'':<10}{'step, ms':>10}" + "".join(f"{part + ', %':>18}" for part in PARTS))
    for name, found in rows:
        shares = [100 * found["parts"][part]["s"] / found["step"]["s"] for part in PARTS]
        halves = [50 * (found["parts"][part]["high_s"] - found["parts"][part]["low_s"]) / found["step"]["s"] for part in PARTS]
        print(f"{name:<10}{found['step']['s'] * 1e3:>10.1f}" + "".join(f"{s:>11.1f} ± {h:4.1f}" for s, h in zip(shares, halves)))
    print(f"the script alone: {alone[0]:.1f} ms a step with its loader, {alone[1]:.1f} ms on one batch from pinned memory")


if __name__ == "__main__":
    main()
