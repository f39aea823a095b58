#!/usr/bin/env python3
"""What the switch backend costs in its pass-on position, against the bare backend.

    PYTHONPATH=<folder of _stash.so> bench/overhead.py [--pairs 600]

Two Gloo ranks train a model with DistributedDataParallel. The switch is taken out of its group and put in again
between steps: the same model, buckets and connections with and without it. Steps of both kinds alternate, in random
order inside a pair, so that a machine that slows down for a moment slows both. Arithmetic on shared cores varies by
tenths of itself, so it is small here and --compute-ms are slept instead; every collective is exposed. The overhead is
the mean over pairs of the difference, as a share of the bare step, without the most extreme tenths of the pairs.
"""

import argparse
import os
import statistics
import sys
import time

from pairs import compare, describe, start_ranks

ISSUES = 2000


def issue_times(dist, tensor):
    times = []
    for _ in range(ISSUES):
        start = time.perf_counter()
        work = dist.all_reduce(tensor, async_op=True)
        times.append(time.perf_counter() - start)
        work.wait()
    return times


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

    found = compare(step, list(place), pairs)
    issues = {}
    for name in place:
        place[name]()
        issues[name] = statistics.median(issue_times(dist, batch))
    if rank == 0:
        print(describe("through the switch", *found, pairs))
        print(f"issuing a collective takes {issues['switched'] * 1e6:.1f} µs through the switch, "
              f"{issues['bare'] * 1e6:.1f} µs without (medians of {ISSUES})")
        sys.stdout.flush()
    dist.barrier()
    os._exit(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=600)
    parser.add_argument("--compute-ms", type=float, default=100)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    options = parser.parse_args()
    start_ranks(run, 2, options.pairs, options.device, options.compute_ms / 1e3)


if __name__ == "__main__":
    main()
