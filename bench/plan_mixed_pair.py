#!/usr/bin/env python3
"""The best split of a batch between a slow and a fast device, measured, beside the one that is planned.

    bench/plan_mixed_pair.py --devices emulated        # two ranks whose layers take a V100's and a T4's time
    bench/plan_mixed_pair.py --devices slowed          # two ranks of this machine; one does all its work three times
    bench/plan_mixed_pair.py --devices gpu             # two partitions of one GPU: 32 and 88 multiprocessors

Three layer stacks each: steps are timed for a grid of ratios, and the ratio of the fastest is compared with the planned
one. Ranks sum gradients by Gloo on the loopback interface; partitions are green contexts of bench/plan_mixed_pair.cu,
which is compiled with nvcc (--compile and --program where that is another machine). `emulated` plans with `stash plan`;
the others time every layer on either device first, and plan with build/release/bench/plan_pair (cmake -DSTASH_BENCH=ON).
Where that is not built, --out keeps what was measured, and --measured plans and compares it elsewhere. Ends with exit
code 1 where a ratio is off by more than --tolerance."""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
RANKS = HERE / "mixed_pair_ranks.py"
EMULATED = {"slow": ("T4", "g4dn.xlarge"), "fast": ("V100", "p3.2xlarge")}
MODELS = ("resnet18", "squeezenet1_0", "mobilenet_v2")
LEAST, MOST = 0.1, 0.45  # shares of the slow device that are tried
TOLERANCE = 0.05
# Freed memory stays with the process: else some batch sizes pay for fresh pages at every step, and others do not.
KEEPS_MEMORY = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}


def stash(options, *arguments):
    called = subprocess.run([options.stash, *map(str, arguments), "--format", "json"], check=True, capture_output=True, text=True)
    return json.loads(called.stdout)


def ranks(job):
    """What two ranks measured; `job` says what they do."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(RANKS), "--folder", folder, "--job", json.dumps(job)]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo", **KEEPS_MEMORY}
        started = [subprocess.Popen([*command, "--rank", str(rank)], env=environment) for rank in range(2)]
        codes = [process.wait() for process in started]
        if any(codes):
            sys.exit(f"the ranks ended with {codes}")
        return json.loads((pathlib.Path(folder) / "found").read_text())


def shares(batch, steps):
    """Samples of the slow device, in about `steps` steps."""
    every = max(1, round(batch * (MOST - LEAST) / steps))
    return list(range(max(1, round(batch * LEAST)), round(batch * MOST) + 1, every))


def emulated(options):
    """The plan is that of `stash plan`; ranks take the compute that `stash predict` has for their samples."""
    for model in MODELS:
        batch = options.batch or 128
        planned = stash(options, "plan", "--model", model, "--batch", batch, "--dtype", "fp32", "--on",
                        "+".join(f"1x{name}" for name, _ in EMULATED.values()), "--network", "100Gbit/s")
        levels = planned["plans"][0]["baseline_plans"]["data_best_ratio"]
        tried = shares(batch, options.steps)
        compute_s = {}
        for kind, (_, machine) in EMULATED.items():
            counts = tried if kind == "slow" else [batch - count for count in tried]
            predicted = [stash(options, "predict", "--model", model, "--batch", count, "--dtype", "fp32", "--on", machine)
                         for count in counts]
            compute_s[kind] = [found["predictions"][0]["ledger"]["parts"]["compute"]["s"] for found in predicted]
        steps = ranks({"what": "emulated", "repeats": options.repeats, "compute_s": compute_s})
        yield {"stack": model, "planned_ratio": statistics.median(split["ratio"] for split in levels[0]),
               "steps": [[count / batch, s] for count, s in zip(tried, steps)]}


def slowed(options):
    return ranks({"what": "slowed", "repeats": options.repeats, "slowness": options.slowness, "least": LEAST, "most": MOST,
                  "steps": options.steps})


def line_through(name, us):
    """Of a layer with a quarter and three quarters of the batch: seconds of all of it, and those however small the part."""
    quarter_us, three_us = us
    fixed_us = min(max(quarter_us - (three_us - quarter_us) / 2, 0), quarter_us)
    return {f"{name}_s": (three_us - fixed_us) / 0.75 * 1e-6, f"{name}_fixed_s": fixed_us * 1e-6}


def from_widths(found):
    """A line of plan_mixed_pair.cu, as plan_pair reads it."""
    pairs = list(zip(found["widths"], found["widths"][1:]))
    return {"stack": found["stack"], "batch": found["batch"], "bytes_per_s": found["bytes_per_s"],
            "layers": [{"weight": into * out, "input": into, "output": out, **line_through("slow", slow), **line_through("fast", fast)}
                       for (into, out), slow, fast in zip(pairs, found["slow_us"], found["fast_us"])],
            "steps": [[share, us * 1e-6] for share, us in found["steps_us"]]}


def compiled(options, program):
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.access(nvcc, os.X_OK):
        sys.exit("there is no nvcc: compile bench/plan_mixed_pair.cu elsewhere (--compile FILE), and give it as --program")
    subprocess.run([nvcc, "-O3", "-std=c++17", f"-arch={options.arch}", "-o", str(program),
                    str(HERE / "plan_mixed_pair.cu")], check=True)


def partitions(options):
    with tempfile.TemporaryDirectory() as folder:
        program = options.program or pathlib.Path(folder) / "mixed_pair"
        if not options.program:
            compiled(options, program)
        measured = subprocess.run([str(program.absolute()), *options.sms.split(","), str(options.repeats)],
                                  stdout=subprocess.PIPE, text=True, check=False)
        if measured.returncode != 0:
            sys.exit(f"{program} ended with {measured.returncode}")
    return [from_widths(json.loads(line)) for line in measured.stdout.splitlines()]


def planned(options, lines):
    """With `planned_ratio`, where there is none yet."""
    if all("planned_ratio" in line for line in lines):
        return lines
    if not os.access(options.planner, os.X_OK):
        print(f"{options.planner} is not built (cmake -DSTASH_BENCH=ON): measured only; "
              + (f"--measured {options.out} compares where it is" if options.out else "give --out to keep it"))
        sys.exit(0 if options.out else 1)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    called = subprocess.run([options.planner], input=text, check=True, capture_output=True, text=True)
    return [json.loads(line) for line in called.stdout.splitlines()]


def measured_ratio(steps):
    """Of the fastest step."""
    return min(steps, key=lambda step: step[1])[0]


def compared(options, lines):
    rows = []
    for line in planned(options, lines):
        ratio = measured_ratio(line["steps"])
        rows.append({"stack": line["stack"], "planned_ratio": line["planned_ratio"], "measured_ratio": ratio,
                     "off": abs(ratio - line["planned_ratio"]), "best_s": min(s for _, s in line["steps"])})
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--devices", choices=("emulated", "slowed", "gpu"), default="emulated")
    parser.add_argument("--measured", help="What --out kept, instead of measuring")
    parser.add_argument("--out", type=pathlib.Path, help="Keep what was measured in this file")
    parser.add_argument("--stash", default=str(ROOT / "stash"))
    parser.add_argument("--planner", default=str(ROOT / "build/release/bench/plan_pair"))
    parser.add_argument("--batch", type=int, help="Samples per step of emulated devices (128)")
    parser.add_argument("--steps", type=int, default=16, help="Ratios that are tried")
    parser.add_argument("--repeats", type=int, help="Steps for each ratio: 5 of emulated devices, of which the fastest counts; "
                        "20 of slowed ranks, of which a quarter is faster; 9 on a GPU, the median")
    parser.add_argument("--slowness", type=int, default=3, help="How often a slowed rank does its work")
    parser.add_argument("--sms", default="32,88", help="Multiprocessors of both partitions, multiples of 8")
    parser.add_argument("--arch", default="native", help="nvcc's -arch; sm_90 for an H200 that is elsewhere")
    parser.add_argument("--compile", type=pathlib.Path, help="Only compile the program of --devices gpu, into this file")
    parser.add_argument("--program", type=pathlib.Path, help="What --compile made, on a machine without nvcc")
    parser.add_argument("--tolerance", type=float, default=TOLERANCE)
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args()
    if options.compile:
        compiled(options, options.compile)
        return
    options.repeats = options.repeats or {"emulated": 5, "slowed": 20, "gpu": 9}[options.devices]
    if options.measured:
        lines = [json.loads(line) for line in pathlib.Path(options.measured).read_text().splitlines()]
    else:
        lines = list({"emulated": emulated, "slowed": slowed, "gpu": partitions}[options.devices](options))
    if options.out:
        options.out.write_text("".join(json.dumps(line) + "\n" for line in lines))
    rows = compared(options, lines)
    if options.format == "json":
        print(json.dumps(rows))
    else:
        print(f"{'stack':<12} {'planned':>8} {'measured':>9} {'off':>6} {'fastest step':>13}   share of the slow device")
        for row in rows:
            print(f"{row['stack']:<12} {row['planned_ratio']:>8.3f} {row['measured_ratio']:>9.3f} {row['off']:>6.3f} "
                  f"{row['best_s'] * 1e3:>10.2f} ms")
    sys.exit(any(row["off"] > options.tolerance for row in rows))


if __name__ == "__main__":
    main()
