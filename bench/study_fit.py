#!/usr/bin/env python3
"""Whether the macroscopic model predicts models that it has not seen, on this machine.

    bench/study_fit.py --stash ./stash [--out DIR] [--max-time 5m] [--link host] [--device emulated:V100]

Runs `stash study layers` and `stash study gradients` and prints for each the coefficients and, for every held-out
model, the measured stall, the predicted one and how far they are apart. Finished profiles of DIR are used again.
"""

import argparse
import json
import pathlib
import subprocess
import sys


def run_study(options, kind):
    command = [options.stash, "study", kind, "--format", "json", "--local", "--device", options.device, "--ranks",
               str(options.ranks), "--max-time", options.max_time, "--out", str(pathlib.Path(options.out, kind))]
    if options.link:
        command += ["--link", options.link]
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if run.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {run.returncode}")
    return json.loads(run.stdout)


def interval(coefficient, unit):
    return f"{coefficient['value'] * unit:.4g} ({coefficient['low'] * unit:.4g} to {coefficient['high'] * unit:.4g})"


def show(kind, study):
    fit = study["fit"]
    print(f"{kind}: R² {fit['r_squared']:.4f}; ms a collective {interval(fit['latency_s'], 1e3)}, "
          f"ms a MB {interval(fit['s_per_byte'], 1e9)}")
    print(f"  {'held out':<22}{'MB':>8}{'step, ms':>10}{'stall, ms':>11}{'±':>7}{'predicted':>11}{'error, %':>10}{'points':>8}")
    held_out = [case for case in study["cases"] if case["held_out"]]
    for case in held_out:
        stall = case["stall"]
        error = "–" if case["error_ratio"] is None else f"{100 * case['error_ratio']:+.1f}"
        print(f"  {case['model']:<22}{case['gradient_bytes'] / 1e6:>8.1f}{case['step_s'] * 1e3:>10.1f}"
              f"{stall['s'] * 1e3:>11.2f}{(stall['high_s'] - stall['low_s']) * 500:>7.2f}{case['predicted_s'] * 1e3:>11.2f}"
              f"{error:>10}{100 * case['step_error_ratio']:>+8.1f}{'' if case['within_tolerance'] else '  !'}")
    for failure in study["failures"]:
        print(f"  not used: {failure['model']}: {failure['why']}")
    within = sum(case["within_tolerance"] for case in held_out)
    print(f"  within 10 % or 2 points of the step: {within} of {len(held_out)}\n", flush=True)
    return within == len(held_out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stash", default="./stash")
    parser.add_argument("--out", default="study-fit")
    parser.add_argument("--device", default="emulated:V100")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--max-time", default="5m", help="of each study")
    parser.add_argument("--link", default="", help="of emulated GPUs, as in stash study: a rate, or host")
    parser.add_argument("--studies", default="layers,gradients")
    options = parser.parse_args()
    good = [show(kind, run_study(options, kind)) for kind in options.studies.split(",")]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
