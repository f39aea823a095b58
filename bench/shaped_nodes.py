#!/usr/bin/env python3
"""A battery of real nodes over links of a known rate: two hosts (network namespaces; needs root), two ranks on each.

    bench/shaped_nodes.py --stash ./stash --out nodes-v100 [--gpu V100] [--rate 5gbit] [--models alexnet,resnet18,...]

Every case is one `stash profile` under torchrun; its profile goes into OUT/cases, where `stash report OUT` and
`stash compare OUT ...` find it. A case that is there already is not run again. Inside a host ranks talk over its
loopback, unshaped; between hosts over links shaped to --rate with a token bucket.
"""

import argparse
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "tests" / "cluster")]

MODELS = "alexnet,resnet18,mobilenet_v2,squeezenet1_0,resnet50"
RANKS = 2  # of a host
CONDITIONS = "solo,apart,node,joined,hot"  # hosts share one disk, so that cold reads would say nothing of nodes
LONGEST_S = 600


def measure(made, options, model, path):
    import cluster

    with tempfile.TemporaryDirectory() as folder:
        command = [options.stash, "profile", "--model", model, "--batch", options.batch, "--device",
                   f"emulated:{options.gpu}", "--workers", 1, "--precision", "5%", "--max-time", options.max_time,
                   "--conditions", CONDITIONS, "--out", path]
        results = cluster.Team(cluster.torchrun(made, RANKS, *command), folder).finish(LONGEST_S)
    if results["a"].code != 0:
        raise SystemExit("\n".join(result.err for result in results.values()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stash", default="./stash")
    parser.add_argument("--out", required=True)
    parser.add_argument("--gpu", default="V100")
    parser.add_argument("--rate", default="5gbit", help="of a host's link, as tc writes it")
    parser.add_argument("--models", default=MODELS)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--max-time", default="45s", help="of a case")
    options = parser.parse_args()
    options.stash = str(pathlib.Path(options.stash).resolve())
    import hosts

    if hosts.why_not():
        raise SystemExit(hosts.why_not())
    cases = pathlib.Path(options.out).resolve() / "cases"
    cases.mkdir(parents=True, exist_ok=True)
    made = hosts.Hosts(2, options.rate)
    try:
        for model in options.models.split(","):
            path = cases / f"{model}-b{options.batch}-r{2 * RANKS}-n2-emulated-{options.gpu.lower()}-fp32.json"
            if path.exists():
                continue
            started = time.monotonic()
            measure(made, options, model, path)
            print(f"{model}: {time.monotonic() - started:.0f} s", flush=True)
    finally:
        made.close()


if __name__ == "__main__":
    main()
