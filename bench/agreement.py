#!/usr/bin/env python3
"""Whether the ledger of a script is that of a built-in job that does the same.

    bench/agreement.py --stash ./stash --data FOLDER [--batch 128]

resnet18 on two ranks over Gloo, the same images, the same batch: once as `stash profile` trains it, once as a plain
PyTorch script under `stash run`, one after the other, twice each; on GPUs where there are any, else on the CPU. The
script's loader (Pillow, processes) is not the built-in job's: what it costs is also taken from the script alone, without
Stash, as the difference of its step with the loader and on one batch that is used again. Images so small that decoding
keeps up show the rest best. Needs Pillow.
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


def shown(found, part):
    estimate, step = found["parts"][part], found["step"]["s"] / 100
    if estimate is None:
        return f"{'–':>18}"
    return f"{estimate['s'] / step:>11.1f} ± {(estimate['high_s'] - estimate['low_s']) / 2 / step:4.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stash", default="./stash")
    parser.add_argument("--data", required=True)
    parser.add_argument("--batch", default="128")
    parser.add_argument("--image-size", default="224")
    parser.add_argument("--workers", default="6")
    parser.add_argument("--max-time", default="40s")
    parser.add_argument("--precision", default="2%")
    parser.add_argument("--turns", default=2)
    parser.add_argument("--device", default="cuda", help="cuda or cpu")
    parser.add_argument("--normalize", default="device", help="where the script's bytes become floats: worker or device")
    parser.add_argument("--alone-steps", default="100")
    options = parser.parse_args()
    script = pathlib.Path(__file__).parent / "resnet18_script.py"
    shared = ["--max-time", options.max_time, "--precision", options.precision]
    commands = {
        "profile": [options.stash, "profile", "--model", "resnet18", "--batch", options.batch, "--ranks", "2", "--backend",
                    "gloo", "--workers", options.workers, "--data", options.data, "--image-size", options.image_size, "--device",
                    options.device, *shared],
        "run": [options.stash, "run", "--data", options.data, *shared],
    }
    command = ["--", sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", str(script), "--data",
               options.data, "--batch", options.batch, "--workers", options.workers, "--image-size", options.image_size,
               "--normalize", options.normalize]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(int(options.turns)):
            for name, start in commands.items():
                out = f"{folder}/{name}-{turn}.json"
                subprocess.run([*start, "--out", out, *(command if name == "run" else [])], check=True,
                               stdout=subprocess.DEVNULL)
                rows.append((name, ledger(options.stash, out)))
    alone = [float(subprocess.run([*command[1:], "--time", options.alone_steps, *flags], check=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True).stdout) for flags in ([], ["--again"])]
    print(f"{'':<10}{'step, ms':>10}" + "".join(f"{part + ', %':>18}" for part in PARTS))
    for name, found in rows:
        print(f"{name:<10}{found['step']['s'] * 1e3:>10.1f}" + "".join(shown(found, part) for part in PARTS))
    print(f"the script alone: {alone[0]:.1f} ms per step with its loader, {alone[1]:.1f} ms on one batch from pinned memory")


if __name__ == "__main__":
    main()
