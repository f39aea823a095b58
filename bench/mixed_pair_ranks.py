"""A rank of bench/plan_mixed_pair.py: 0 is slow, 1 is fast. Both have their samples of a batch and sum gradients."""

import argparse
import json
import pathlib
import random
import time

import torch
import torch.distributed as dist
from torch import nn

SLOW = 0
SUMMED = 1 << 18  # elements that emulated ranks sum: what they exchange is the same at every ratio


def stacks():
    """Name, batch, shape of a sample, layers."""
    yield "linear", 512, (512,), [nn.Linear(512, 512), nn.Linear(512, 768), nn.Linear(768, 256)]
    yield "convolution", 64, (16, 24, 24), [nn.Conv2d(16, 32, 3, padding=1), nn.Conv2d(32, 32, 3, padding=1),
                                            nn.Conv2d(32, 16, 3, padding=1)]
    yield "mixed", 96, (8, 16, 16), [nn.Conv2d(8, 32, 3, padding=1), nn.Conv2d(32, 8, 3, padding=1),
                                     nn.Sequential(nn.Flatten(), nn.Linear(2048, 512)), nn.Linear(512, 512)]


def fastest(repeats, work):
    """Seconds of the fastest of several; both ranks begin together and end together."""
    best = float("inf")
    for _ in range(repeats + 1):
        dist.barrier()
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def emulated(job, rank):
    gradients = torch.zeros(SUMMED)
    compute_s = job["compute_s"]["slow" if rank == SLOW else "fast"]

    def step(s):
        time.sleep(s)
        dist.all_reduce(gradients)

    return [fastest(job["repeats"], lambda s=s: step(s)) for s in compute_s]


def passes(layers, sample, times):
    """Forward and backward, `times` times over."""
    for _ in range(times):
        for layer in layers:
            layer.zero_grad(set_to_none=True)
        value = sample
        for layer in layers:
            value = torch.relu(layer(value))
        value.sum().backward()


def quarter(times):
    """Seconds that a quarter of the times stay below: neither a lucky one nor what other work slowed down."""
    return sorted(times)[len(times) // 4]


def timed(work):
    dist.barrier()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def layer_times(job, layers, shape, counts, rank):
    """Seconds of forward and backward of each layer with either number of samples, by rank: what all of them take one
    after the other, in the proportions that each has alone, where its weights stay in the cache. Both ranks do everything
    `slowness` times here, so that each computes beside the other all the time, as with the best ratio."""
    slowness, found = job["slowness"], []
    for count in counts:
        sample, own = torch.randn(count, *shape), []
        whole = [timed(lambda: passes(layers, sample, slowness)) for _ in range(job["repeats"] + 1)]  # noqa: B023
        once_s = quarter(whole) / (1 if rank == SLOW else slowness)
        for i, layer in enumerate(layers):
            value = sample.clone().requires_grad_(i > 0)
            times = [timed(lambda: passes([layer], value, slowness)) for _ in range(job["repeats"] + 1)]  # noqa: B023
            own.append(quarter(times))
            with torch.no_grad():
                sample = torch.relu(layer(sample))
        found.append([s / sum(own) * once_s for s in own])
    gathered = [None, None]
    dist.all_gather_object(gathered, found)
    return gathered


def line_through(counts, seconds, batch):
    """Seconds of the whole batch, and those that do not depend on the number of samples: of weights, of calls."""
    per_sample_s = (seconds[1] - seconds[0]) / (counts[1] - counts[0])
    fixed_s = min(max(seconds[0] - per_sample_s * counts[0], 0), seconds[0])
    return (seconds[1] - fixed_s) * batch / counts[1], fixed_s


def described(layers, shape, batch, counts, times):
    rows, sample = [], torch.zeros(1, *shape)
    for i, layer in enumerate(layers):
        with torch.no_grad():
            after = layer(sample)
        row = {"weight": sum(p.numel() for p in layer.parameters()), "input": sample.numel(), "output": after.numel()}
        for name, of_rank in zip(("slow", "fast"), times):
            row[f"{name}_s"], row[f"{name}_fixed_s"] = line_through(counts, [of_count[i] for of_count in of_rank], batch)
        rows.append(row)
        sample = after
    return rows


def slowed(job, rank):
    found, draw = [], random.Random(0)
    for name, batch, shape, layers in stacks():
        counts = (batch // 4, batch * 3 // 4)
        times = layer_times(job, layers, shape, counts, rank)
        weights = sum(p.numel() for layer in layers for p in layer.parameters())
        gradients = torch.zeros(weights)
        sum_s = quarter([timed(lambda: dist.all_reduce(gradients)) for _ in range(job["repeats"] + 1)])  # noqa: B023
        sample = torch.randn(batch, *shape)
        every = max(1, round(batch * (job["most"] - job["least"]) / job["steps"]))
        tried = list(range(max(1, round(batch * job["least"])), round(batch * job["most"]) + 1, every))
        steps = {count: [] for count in tried}

        def step(own):
            passes(layers, own, job["slowness"] if rank == SLOW else 1)  # noqa: B023
            dist.all_reduce(gradients)  # noqa: B023

        # Every ratio in turn, over and over: what slows the machine down for a while slows them all.
        for _ in range(job["repeats"] + 1):
            for count in draw.sample(tried, len(tried)):
                own = sample[:count] if rank == SLOW else sample[count:]
                steps[count].append(timed(lambda: step(own)))  # noqa: B023
        found.append({"stack": name, "batch": batch, "bytes_per_s": weights * gradients.element_size() / sum_s,
                      "layers": described(layers, shape, batch, counts, times),
                      "steps": [[count / batch, quarter(steps[count][1:])] for count in tried]})
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--job", type=json.loads)
    parser.add_argument("--rank", type=int)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    dist.init_process_group("gloo", init_method=f"file://{options.folder}/meet", rank=options.rank, world_size=2)
    found = {"emulated": emulated, "slowed": slowed}[options.job["what"]](options.job, options.rank)
    if options.rank == SLOW:
        (options.folder / "found").write_text(json.dumps(found))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
