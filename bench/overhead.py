#!/usr/bin/env python3
"""What the switch backend costs in its pass-on position, against the bare backend.

    PYTHONPATH=<folder of _stash.so> bench/overhead.py [--rounds 40]

Two Gloo ranks train the same model with DistributedDataParallel, once over a bare group and once over a group that
goes through the switch. Windows of both alternate in one run, in random order; the ratio is the mean over rounds of
the ratio inside a round, with a 95 % interval.
"""

import argparse
import math
import os
import random
import statistics
import sys
import tempfile
import time


def student_t(count):
    from statistics import NormalDist
    z, df = NormalDist().inv_cdf(0.975), count - 1
    return z + (z**3 + z) / (4 * df) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * df * df)


def run(rank, size, path, rounds, device):
    import torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel

    import _stash

    torch.set_num_threads(1)
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[rank % len(os.sched_getaffinity(0))]})
    dist.init_process_group("gloo", store=dist.FileStore(path, size), rank=rank, world_size=size)
    bare, switched = dist.new_group(backend="gloo"), dist.new_group(backend="gloo")
    switch = _stash.Switch(switched, device)
    torch.manual_seed(1)

    def make(group):
        layers = [torch.nn.Linear(1024, 1024) for _ in range(12)]
        model = torch.nn.Sequential(*layers).to(device)
        return DistributedDataParallel(model, process_group=group)

    models = {"bare": make(bare), "switched": make(switched)}
    batch = torch.randn(64, 1024, device=device)

    def window(name, steps):
        dist.barrier(bare)
        start = time.monotonic()
        for _ in range(steps):
            models[name].zero_grad(set_to_none=True)
            models[name](batch).square().mean().backward()
        if device == "cuda":
            torch.cuda.synchronize()
        return (time.monotonic() - start) / steps

    for name in models:
        window(name, 5)
    steps = max(3, math.ceil(0.3 / window("bare", 5)))
    chosen = torch.tensor([steps])
    dist.broadcast(chosen, 0, group=bare)
    steps = int(chosen)
    order, ratios, times = random.Random(1), [], []
    for _ in range(rounds):
        names = ["bare", "switched"]
        order.shuffle(names)
        seen = {name: window(name, steps) for name in names}
        ratios.append(seen["switched"] / seen["bare"] - 1)
        times.append(seen["bare"])
    if rank == 0:
        half = student_t(rounds) * statistics.stdev(ratios) / math.sqrt(rounds)
        print(f"step {statistics.median(times) * 1e3:.2f} ms, {steps} steps a window, {rounds} rounds; "
              f"through the switch {statistics.mean(ratios) * 100:+.2f} % ± {half * 100:.2f} % "
              f"(median {statistics.median(ratios) * 100:+.2f} %); {sum(row[2] for row in switch.counters())} collectives")
        sys.stdout.flush()
    dist.barrier(bare)
    os._exit(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    options = parser.parse_args()
    import torch.multiprocessing as mp

    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(run, args=(2, os.path.join(folder, "store"), options.rounds, options.device), nprocs=2)


if __name__ == "__main__":
    main()
