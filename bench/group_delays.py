#!/usr/bin/env python3
"""Twenty scripts with links of a known rate for each process group: what `stash run` says each group costs.

    bench/group_delays.py --stash ./stash [--cases 1-20] [--max-time 8s]

Prints a row for each case and group: the cost that was put in, what was measured with its interval, and the difference in
points of the step. On a machine with less than five cores nothing else should run meanwhile.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parent / "group_delays_script.py"
COMPUTE_MS = 60
PAYLOAD_BYTES = 100_000
LIMIT_POINTS = 3

# How long the link takes for the collective of tp and of dp; groups that are hidden behind half of the compute, or both
# behind all of it at the same time.
EXPOSED = [(4, 10), (4, 20), (4, 40), (10, 4), (20, 4), (40, 4), (10, 10), (20, 40), (40, 20), (15, 25)]
HIDDEN = [(4, 20, "dp"), (4, 45, "dp"), (20, 4, "tp"), (45, 4, "tp"), (45, 45, "tp dp"), (20, 20, "tp"), (20, 20, "dp"),
          (20, 60, "dp")]
SAME = [(80, 80), (80, 70)]
CASES = ([(tp, dp, "exposed", ()) for tp, dp in EXPOSED] +
         [(tp, dp, f"hidden: {names}", tuple(names.split())) for tp, dp, names in HIDDEN] +
         [(tp, dp, "at once", None) for tp, dp in SAME])


def step_ms(tp, dp, hidden):
    """Of a script whose collectives take this long; None for `hidden`: both at once."""
    if hidden is None:
        return max(COMPUTE_MS, tp, dp)
    half = COMPUTE_MS / 2
    return sum(max(half, ms) if name in hidden else half + ms for name, ms in (("tp", tp), ("dp", dp)))


def truth_ms(tp, dp, hidden):
    whole = step_ms(tp, dp, hidden)
    alone = {"tp": whole - step_ms(0, dp, hidden), "dp": whole - step_ms(tp, 0, hidden)}
    return alone | {None: whole - COMPUTE_MS - sum(alone.values())}


def rate(ms):
    return f"{PAYLOAD_BYTES / ms:.6g}kB/s"


def measure(stash, case, max_time):
    tp, dp, _, hidden = case
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "run.json"
        modes = ["--same"] if hidden is None else ["--hidden", *hidden]
        command = [stash, "run", "--out", out, "--max-time", max_time, "--precision", "1%", "--inject",
                   f"link:tp={rate(tp)},link:dp={rate(dp)}", "--", sys.executable, "-m", "torch.distributed.run",
                   "--nproc-per-node", "4", SCRIPT, "--compute-ms", COMPUTE_MS, *modes]
        environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
        ran = subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True, check=False)
        if not out.exists():
            raise SystemExit(ran.stderr)
        shown = subprocess.run([stash, "report", str(out), "--format", "json"], capture_output=True, text=True, check=True)
    return json.loads(shown.stdout)["ledger"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stash", default="./stash")
    parser.add_argument("--cases", default=f"1-{len(CASES)}")
    parser.add_argument("--max-time", default="8s")
    options = parser.parse_args()
    first, last = (int(number) for number in f"{options.cases}-{options.cases}".split("-")[:2])
    worst, covered, count, missing = 0, 0, 0, 0
    print("| case | tp, ms | dp, ms | | group | put in, ms | measured, ms | 95 % interval, ms | off by, points of the step |\n"
          "|---|---|---|---|---|---|---|---|---|")
    for number in range(first, last + 1):
        case = CASES[number - 1]
        ledger = measure(options.stash, case, options.max_time)
        for line in ledger["communication"]:
            if line["group"] not in (None, "dp", "tp"):
                continue
            true = truth_ms(case[0], case[1], case[3])[line["group"]]
            if line["s"] is None:
                missing += 1
                print(f"| {number} | {case[0]} | {case[1]} | {case[2]} | {line['group']} | {true:.0f} | – | "
                      f"{line['why_not']} | – |", flush=True)
                continue
            points = (line["s"] * 1e3 - true) / ledger["step"]["s"] / 10
            if line["group"] is not None:
                worst, count = max(worst, abs(points)), count + 1
                covered += line["low_s"] * 1e3 <= true <= line["high_s"] * 1e3
            print(f"| {number} | {case[0]} | {case[1]} | {case[2]} | {line['group'] or 'only together'} | {true:.0f} | "
                  f"{line['s'] * 1e3:.1f} | {line['low_s'] * 1e3:.1f} to {line['high_s'] * 1e3:.1f} | {points:+.1f} |",
                  flush=True)
    print(f"worst {worst:.1f} points of the step; {covered} of {count} intervals contain what was put in" +
          (f"; {missing} were not measured" if missing else ""))
    return 0 if worst <= LIMIT_POINTS and not missing else 1


if __name__ == "__main__":
    sys.exit(main())
