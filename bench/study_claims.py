#!/usr/bin/env python3
"""What `stash predict` gives for the study's models and instances, beside what the study found; docs/study.md.

    bench/study_claims.py --stash ./stash

From the models alone: nothing is measured and nothing is tuned to the study. The study's program summed every gradient
tensor by itself and waited for three more all-reduces of single numbers per step; `--set bucket=0 --set blocking=3`. ImageNet's 1,281,167 samples of 110 kB for
the image models, decoded at a core's typical rate; SQuAD's 88,000 for BERT.
"""

import argparse
import json
import subprocess

MODELS = {"alexnet": 128, "resnet18": 64, "shufflenet_v2_x0_5": 128, "mobilenet_v2": 64, "squeezenet1_0": 128,
          "resnet50": 32, "vgg11": 32, "bert_large": 4}
ONE = ("p2.xlarge", "p2.8xlarge", "p2.16xlarge", "p3.2xlarge", "p3.8xlarge", "p3.16xlarge")
PAIRS = (("p2.8xlarge", "p2.16xlarge"), ("p3.8xlarge", "p3.16xlarge"))
IMAGES = ("--samples", "1281167", "--sample-bytes", "110kB", "--sample-cpu", "1ms")
TEXTS = ("--samples", "88000", "--sample-bytes", "2kB", "--sample-cpu", "20us")


OWN_METHOD = ("--set", "bucket=0", "--set", "blocking=3")


def predict(options, model, batch, instances, nodes, changes=()):
    sample = TEXTS if model.startswith("bert") else IMAGES
    run = subprocess.run([options.stash, "predict", "--model", model, "--batch", str(batch), "--on", ",".join(instances),
                          "--nodes", str(nodes), *sample, *changes, "--format", "json"], stdout=subprocess.PIPE, text=True)
    shown = json.loads(run.stdout)
    found = {row["instance"]: row for row in shown["predictions"]}
    return found, {row["instance"]: row["why"] for row in shown["rejected"]}


def percent(ratio):
    return "–" if ratio is None else f"{100 * ratio:.0f} %"


def both(in_buckets, by_its_method):
    return f"{in_buckets}, {by_its_method}"


def interconnect(rows, name):
    return rows[name]["ledger"]["published"]["interconnect_ratio"] if name in rows else None


def slower(double, two, single, one):
    if two not in double or one not in single:
        return "–"
    return f"{without_input(double[two]) / without_input(single[one]):.1f}"


def without_input(row):
    return row["ledger"]["step_by_condition"]["joined" if row["nodes"] > 1 else "node"]["s"] if row["gpus"] > 1 else \
        row["ledger"]["step_by_condition"]["solo"]["s"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stash", default="./stash")
    options = parser.parse_args()
    single = {model: predict(options, model, batch, ONE, 1)[0] for model, batch in MODELS.items()}
    double = {model: predict(options, model, batch, [two for two, _ in PAIRS], 2)[0] for model, batch in MODELS.items()}

    own_single = {model: predict(options, model, batch, ONE, 1, OWN_METHOD)[0] for model, batch in MODELS.items()}
    twos = [two for two, _ in PAIRS]
    own_double = {model: predict(options, model, batch, twos, 2, OWN_METHOD)[0] for model, batch in MODELS.items()}

    print("Interconnect stall as the study counts it, (T(node) - T(solo)) / T(node): in buckets, and by its own method:\n")
    several = [name for name in ONE if any(rows.get(name, {}).get("gpus", 1) > 1 for rows in single.values())]
    print("| model, batch | " + " | ".join(several) + " |\n|---" * 1 + "|---" * len(several) + "|")
    for model, rows in single.items():
        shares = [both(percent(interconnect(rows, name)), percent(interconnect(own_single[model], name))) for name in several]
        print(f"| {model}, {MODELS[model]} | " + " | ".join(shares) + " |")

    print("\nTwo machines over the network against one with as many GPUs, times of a step without input:\n")
    print("| model, batch | " + " | ".join(f"2 x {two} / {one}" for two, one in PAIRS) + " |" + "\n|---" + "|---" * len(PAIRS) + "|")
    for model in MODELS:
        ratios = [both(slower(double[model], two, single[model], one), slower(own_double[model], two, own_single[model], one))
                  for two, one in PAIRS]
        print(f"| {model}, {MODELS[model]} | " + " | ".join(ratios) + " |")

    print("\nOne epoch, with input from storage in later epochs: hours and dollars; the fastest and the cheapest in bold:\n")
    print("| model | " + " | ".join(ONE) + " |\n|---" + "|---" * len(ONE) + "|")
    for model, rows in single.items():
        fastest = min(rows.values(), key=lambda row: row["epoch_s"])["instance"]
        cheapest = min(rows.values(), key=lambda row: row["epoch_usd"])["instance"]
        cells = []
        for name in ONE:
            if name not in rows:
                cells.append("too little memory")
                continue
            hours, dollars = f"{rows[name]['epoch_s'] / 3600:.2f} h", f"${rows[name]['epoch_usd']:.2f}"
            cells.append(f"{'**' + hours + '**' if name == fastest else hours}, {'**' + dollars + '**' if name == cheapest else dollars}")
        print(f"| {model} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
