#!/usr/bin/env python3
"""What the switch backend costs in its pass-on position, against the bare backend.

    PYTHONPATH=<folder of _stash.so> bench/overhead.py [--pairs 600]

Two Gloo ranks train a model with DistributedDataParallel. The switch is taken out of its group and put in again
between steps: the same model, buckets and connections with and without it. Steps of both kinds alternate, in random
order inside a pair, so that a machine that slows down for a moment slows both. Arithmetic on shared cores varies by
tenths of itself, so it is small here and --compute-ms are slept instead; every collective is exposed. The overhead is the mean over pairs of the difference, as a share of the bare step; the
most extreme tenth of the pairs on either side, which something from outside disturbed, is left out. The 95 % interval
is that of a trimmed mean (Yuen).
"""

import argparse
import math
import os
import random
import statistics
import sys
import tempfile
import time


TRIM = 0.1


def trimmed_mean(values):
    """The mean without the extreme tenths, and half its 95 % interval."""
    ordered = sorted(values)
    cut = int(TRIM * len(ordered))
    kept = ordered[cut:len(ordered) - cut]
    winsorized = [kept[0]] * cut + kept + [kept[-1]] * cut
    error = statistics.stdev(winsorized) / ((1 - 2 * TRIM) * math.sqrt(len(ordered)))
    return statistics.fmean(kept), statistics.NormalDist().inv_cdf(0.975) * error


def run(rank, size, path, pairs, device, compute_s):
    import torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel

    import _stash

    torch.set_num_threads(1)
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[rank % len(os.sched_getaffinity(0))]})
    dist.init_process_group("gloo", store=dist.FileStore(path, size), rank=rank, world_size=size)
    switch = _stash.Switch(dist.group.WORLD, device)
    place = {"bare": switch.remove, "switched": switch.reinstall}
    torch.manual_seed(1)
    layers = [torch.nn.Linear(512, 512) for _ in range(6)]
    model = DistributedDataParallel(torch.nn.Sequential(*layers).to(device))
    batch = torch.randn(1, 512, device=device)

    def step(name):
        place[name]()
        start = time.perf_counter()
        time.sleep(max(0, start + compute_s - time.perf_counter()))
        model.zero_grad(set_to_none=True)
        model(batch).square().mean().backward()
        if device == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter() - start

    for _ in range(10):
        for name in place:
            step(name)
    def issue_times(name, tensor):
        place[name]()
        times = []
        for _ in range(2000):
            start = time.perf_counter()
            work = dist.all_reduce(tensor, async_op=True)
            times.append(time.perf_counter() - start)
            work.wait()
        return times

    order, differences, bare_s = random.Random(1), [], []
    for _ in range(pairs):
        names = ["bare", "switched"]
        order.shuffle(names)
        seen = {name: step(name) for name in names}
        differences.append(seen["switched"] - seen["bare"])
        bare_s.append(seen["bare"])
    issues = {name: issue_times(name, batch) for name in place}
    if rank == 0:
        step_s, _ = trimmed_mean(bare_s)
        more_s, half_s = trimmed_mean(differences)
        print(f"step {step_s * 1e3:.2f} ms, {pairs} pairs; through the switch {more_s / step_s * 100:+.2f} % "
              f"± {half_s / step_s * 100:.2f} % of the step ({more_s * 1e6:+.0f} ± {half_s * 1e6:.0f} µs; "
              f"{sum(row[2] for row in switch.counters()) / (pairs + 10):.0f} collectives a step)")
        print(f"issuing a collective takes {statistics.median(issues['switched']) * 1e6:.1f} µs through the switch, "
              f"{statistics.median(issues['bare']) * 1e6:.1f} µs without (medians of 2000)")
        sys.stdout.flush()
    dist.barrier()
    os._exit(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=600)
    parser.add_argument("--compute-ms", type=float, default=100)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    options = parser.parse_args()
    import torch.multiprocessing as mp

    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(run, args=(2, os.path.join(folder, "store"), options.pairs, options.device,
                            options.compute_ms / 1e3), nprocs=2)


if __name__ == "__main__":
    main()
