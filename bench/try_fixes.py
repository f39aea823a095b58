#!/usr/bin/env python3
"""Twenty jobs with stalls of a known size: what fixes save, predicted and measured beside each other (`--try`).

    bench/try_fixes.py --stash ./stash [--cases 1-20] [--max-time 20s]

Prints a row for each fix that was tried, then over all fixes whose saving is worth making (3 % of the step, predicted or
measured) the median difference and how often the sign is right. A saving whose interval contains nothing counts as none,
as in the report; a sign also counts as right where both differ by less than the interval or 3 % of the step. A fix that is
predicted to be worth nothing must be measured so. Nothing else should run meanwhile.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

WORTH = 0.03  # of the step, as in the report
NETWORK = ("--model", "squeezenet1_0", "--batch", "4", "--image-size", "64")
LARGE = ("--model", "resnet18", "--batch", "4", "--image-size", "64")
CASES = (
    [(f"link of {rate}", LARGE, f"link={rate}", "1") for rate in ("3Gbit/s", "4Gbit/s", "6Gbit/s", "8Gbit/s")] +
    [(f"link of {rate}", NETWORK, f"link={rate}", "1") for rate in ("300Mbit/s", "500Mbit/s", "1Gbit/s")] +
    [(f"{ms} ms per sample, {workers} workers", NETWORK, f"prep={ms}ms/sample", workers)
     for ms, workers in ((10, "1"), (20, "1"), (40, "2"), (60, "2"), (30, "4"))] +
    [(f"rank 1 late by {ms} ms", NETWORK, f"rank1=+{ms}ms", "1") for ms in (10, 20, 40, 60)] +
    [("late, and a slow link", LARGE, "rank1=+20ms,link=6Gbit/s", "1"),
     ("late, and slow samples", NETWORK, "rank1=+20ms,prep=20ms/sample", "1"),
     ("slow samples hide a link", LARGE, "link=6Gbit/s,prep=40ms/sample", "1"),
     ("nothing", NETWORK, "prep=1ms/sample", "1")])


def call(*command):
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: {ran.stderr}")
    return ran.stdout


def run(options, number, folder):
    """The report of this case; its profile is made where it is missing."""
    _, network, inject, workers = CASES[number - 1]
    profile = folder / f"{number}.json"
    if not profile.exists():
        call(options.stash, "profile", *network, "--ranks", "2", "--device", "emulated:V100", "--workers", workers,
             "--data", options.data, "--inject", inject, "--conditions", "solo,apart,node,hot", "--precision", "1%",
             "--max-time", options.max_time, "--try", "--out", profile,
             *(("--python", options.python) if options.python else ()))
    return json.loads(call(options.stash, "report", profile, "--format", "json"))


def sign(seconds, row):
    """Of a saving that is worth something: 1 or -1; else 0."""
    return 0 if abs(seconds) < WORTH * row["of_s"] else (1 if seconds > 0 else -1)


def measured_sign(row):
    """As the report judges: what cannot be told from nothing is nothing."""
    if row["saved_s"] > 0:
        return 1 if row["helps"] else 0
    return 0 if row["saved_high_s"] >= 0 else sign(row["saved_s"], row)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stash", default="./stash")
    parser.add_argument("--data", required=True, help="folder of images, such as `stash dataset` makes")
    parser.add_argument("--cases", default=f"1-{len(CASES)}")
    parser.add_argument("--max-time", default="20s")
    parser.add_argument("--python", help="as of stash profile")
    parser.add_argument("--folder", type=pathlib.Path, help="profiles stay here; one that is there is not made again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        compare(options, folder)


def compare(options, folder):
    first, _, last = options.cases.partition("-")
    differences, signs = [], []
    print("| case | fix | step, ms | predicted, ms | measured, ms | |\n|---|---|---|---|---|---|")
    for number in range(int(first), int(last or first) + 1):
        for row in run(options, number, folder)["tried"]:
            predicted, measured = row["predicted_s"], row["saved_s"]
            half = (row["saved_high_s"] - row["saved_low_s"]) / 2
            verdict = ""
            if predicted is not None:
                expected, seen = sign(predicted, row), measured_sign(row)
                if expected or seen:
                    differences.append(abs(predicted - measured) / max(abs(predicted), abs(measured)))
                    verdict = f"{100 * differences[-1]:.0f} %"
                signs.append(expected == seen or abs(predicted - measured) < max(half, WORTH * row["of_s"]))
                verdict += "" if signs[-1] else ", wrong sign"
            shown = "–" if predicted is None else f"{predicted * 1e3:.1f}"
            print(f"| {CASES[number - 1][0]} | {row['fix']} | {row['of_s'] * 1e3:.1f} | {shown} | "
                  f"{measured * 1e3:.1f} ± {half * 1e3:.1f} | {verdict} |", flush=True)
    if differences:
        print(f"\n{len(differences)} fixes that matter: median difference {100 * statistics.median(differences):.1f} % "
              f"(target 20 %); sign right in {sum(signs)} of {len(signs)}")


if __name__ == "__main__":
    main()
