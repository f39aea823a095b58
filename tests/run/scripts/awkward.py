"""A small training that gets in the way of being measured, in one of several manners."""

import argparse
import atexit
import os

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, TensorDataset


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--profiler", choices=("from the start", "later"))
    parser.add_argument("--out-of-memory-at", type=int, help="a step")
    parser.add_argument("--steps", type=int, nargs="+", default=[100_000], help="of each rank")
    options = parser.parse_args()
    torch.set_num_threads(1)
    rank = int(os.environ.get("RANK", 0))
    if "WORLD_SIZE" in os.environ:
        dist.init_process_group("gloo")
    model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    loader = DataLoader(TensorDataset(torch.randn(512, 64), torch.randint(10, (512,))), 8)
    profiler = torch.profiler.profile() if options.profiler else None
    if options.profiler == "from the start":
        profiler.start()
        atexit.register(profiler.stop)  # torch crashes where a process ends under its profiler
    step, steps = 0, options.steps[rank % len(options.steps)]
    while step < steps:
        for x, y in loader:
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
            optimizer.zero_grad()
            step += 1
            if options.profiler == "later" and step in (3, 6):
                profiler.start() if step == 3 else profiler.stop()
            if step == options.out_of_memory_at:
                raise torch.OutOfMemoryError("the GPU is full")
            if step >= steps:
                break
    print("done", flush=True)


main()
