#!/usr/bin/env python3
"""What the hooks of `stash watch` cost a training step.

    PYTHONPATH=<folder of _stash.so>:python bench/watch.py [--device cuda]

A training with a DataLoader and DistributedDataParallel; every second step, in random order inside a pair, goes through
the hooks: the loader's iterator, the optimizer's step, the group's backend. Differences as in bench/overhead.py. Then
the time of one recorded event, over that of the same without hooks: a batch that went by, a step that ended.
"""

import argparse
import os
import sys
import time

from pairs import compare, describe, start_ranks

EVENTS = 200_000


def run(rank, size, path, options):
    import torch
    import torch.distributed as dist
    import torch.utils.data.dataloader as dataloader
    from torch.nn.parallel import DistributedDataParallel

    import _stash

    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
    from stash import attach, loader
    from stash.feed import WatchedFeed
    from stash.files import Files

    torch.set_num_threads(1)
    device = options.device
    dist.init_process_group("gloo", store=dist.FileStore(path, size), rank=rank, world_size=size)

    class Hooked(attach.WatchedRank):
        def __init__(self):
            self.feed = WatchedFeed(Files(os.path.dirname(path), None))
            self.over, self.marked, self.started = False, False, True
            self.outer = self.counted = None
            self.optimizers = set()
            self.session = _stash.Watch("", rank)
            self.feed.watch(self.session)

    hooked = Hooked()
    switch = _stash.Switch(dist.group.WORLD, device)
    base = dataloader._BaseDataLoaderIter
    plain = base.__next__, base._next_index
    loader.patch(dataloader, hooked)
    patched = base.__next__, base._next_index
    optimizer_module = sys.modules["torch.optim.optimizer"]
    handles = []

    def place(name):
        base.__next__, base._next_index = patched if name == "watched" else plain
        switch.reinstall() if name == "watched" else switch.remove()
        for handle in handles:
            handle.remove()
        handles.clear()
        if name == "watched":
            handles.append(optimizer_module.register_optimizer_step_pre_hook(hooked.before_optimizer))
            handles.append(optimizer_module.register_optimizer_step_post_hook(hooked.after_optimizer))

    width = options.width
    model = torch.nn.Sequential(*[torch.nn.Linear(width, width) for _ in range(6)]).to(device)
    model = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    data = torch.utils.data.TensorDataset(torch.randn(1 << 16, width))
    batches = iter(torch.utils.data.DataLoader(data, options.batch))

    def step(name):
        nonlocal batches
        place(name)
        start = time.perf_counter()
        time.sleep(max(0, options.compute_ms / 1e3))
        try:
            batch = next(batches)[0]
        except StopIteration:
            batches = iter(torch.utils.data.DataLoader(data, options.batch))
            batch = next(batches)[0]
        optimizer.zero_grad()
        model(batch.to(device)).square().mean().backward()
        optimizer.step()
        if device == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter() - start

    found = compare(step, ["plain", "watched"], options.pairs)
    if rank == 0:
        print(describe("watched", *found, options.pairs))
        def read():
            return batch

        batch = object()
        start = time.perf_counter()
        for _ in range(EVENTS):
            read()
        unhooked = time.perf_counter()
        for _ in range(EVENTS):
            hooked.feed.next(None, read)
        a_batch = (time.perf_counter() - unhooked - (unhooked - start)) / EVENTS
        start = time.perf_counter()
        for _ in range(EVENTS):
            hooked.before_optimizer(optimizer)
            hooked.after_optimizer(optimizer)
        a_step = (time.perf_counter() - start) / EVENTS
        print(f"recording a batch takes {a_batch * 1e6:.2f} µs, a step {a_step * 1e6:.2f} µs in two hooks")
        sys.stdout.flush()
    dist.barrier()
    os._exit(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=600)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--compute-ms", type=float, default=100)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    options = parser.parse_args()
    start_ranks(run, options.ranks, options)


if __name__ == "__main__":
    main()
