#!/usr/bin/env python3
"""Whether the network stall is the time that bytes need on a link of known rate.

    bench/network.py --stash ./stash [--rates 100mbit,1gbit,5gbit] [--models squeezenet1_0,resnet18,mobilenet_v2]

Two hosts (network namespaces; needs root) with one rank each and emulated accelerators. Once over links that are shaped
to a rate with a token bucket, once over unshaped ones where the switch makes collectives sleep for the time that their
bytes need at that rate (--inject link=). Both overlap with the backward pass as they do; the shares of the step that the
network takes are compared.
"""

import argparse
import json
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "tests" / "cluster")]

JOBS = {"squeezenet1_0": ("32", "K80"), "resnet18": ("64", "K80"), "mobilenet_v2": ("64", "K80")}
RATES = {"100mbit": "100Mbit/s", "1gbit": "1Gbit/s", "5gbit": "5Gbit/s"}


def measure(hosts, options, model, flags):
    import cluster
    import program

    batch, gpu = JOBS[model]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        command = [options.stash, "profile", "--model", model, "--batch", batch, "--device", f"emulated:{gpu}", "--conditions",
                   "solo,joined", "--max-time", options.max_time, "--out", out, *flags]
        results = cluster.Team(cluster.torchrun(hosts, 1, *command), folder).finish(300)
        if results["a"].code != 0:
            raise SystemExit("\n".join(result.err for result in results.values()))
        shown = program.Run("report", out, "--format", "json", program=options.stash).finish()
        ledger = json.loads(shown.out)["ledger"]
    network, step = ledger["parts"]["network"], ledger["step"]["s"]
    return step, 100 * network["s"] / step, 50 * (network["high_s"] - network["low_s"]) / step


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stash", default="./stash")
    parser.add_argument("--rates", default=",".join(RATES))
    parser.add_argument("--models", default=",".join(JOBS))
    parser.add_argument("--max-time", default="30s")
    options = parser.parse_args()
    options.stash = str(pathlib.Path(options.stash).resolve())
    import hosts

    if hosts.why_not():
        raise SystemExit(hosts.why_not())
    print(f"{'model':<16}{'rate':>10}{'step, ms':>10}{'network, %':>16}{'made to sleep, %':>20}{'points':>10}")
    for rate in options.rates.split(","):
        for model in options.models.split(","):
            found = []
            for shape, flags in ((rate, ()), (None, ("--inject", f"link={RATES[rate]}"))):
                made = hosts.Hosts(2, shape)
                try:
                    found.append(measure(made, options, model, flags))
                finally:
                    made.close()
            (step, real, half), (_, slept, slept_half) = found
            print(f"{model:<16}{rate:>10}{step * 1e3:>10.1f}{real:>9.1f} ± {half:4.1f}{slept:>13.1f} ± {slept_half:4.1f}"
                  f"{real - slept:>+10.1f}", flush=True)


if __name__ == "__main__":
    main()
