"""A rank of bench/plan_mixed_pair.py: 0 is slow, 1 is fast. Both have their samples of a batch and sum gradients."""

import argparse
import json
import pathlib
import time

import torch
import torch.distributed as dist
from torch import nn

SLOW = 0
SUMMED = 1 << 18  # elements that emulated ranks sum: what they exchange is the same at every ratio


def stacks():
    """Name, batch, shape of a sample, layers."""
    yield "linear", 256, (512,), [nn.Linear(512, 512), nn.Linear(512, 768), nn.Linear(768, 256)]
    yield "convolution", 32, (16, 24, 24), [nn.Conv2d(16, 32, 3, padding=1), nn.Conv2d(32, 32, 3, padding=1),
                                            nn.Conv2d(32, 16, 3, padding=1)]
    yield "mixed", 48, (8, 16, 16), [nn.Conv2d(8, 32, 3, padding=1), nn.Conv2d(32, 8, 3, padding=1),
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


def layer_times(job, layers, shape, batch, rank):
    """Forward and backward of each layer alone on this rank, while the other computes too."""
    times = job["slowness"] if rank == SLOW else 1
    sample, found = torch.randn(batch, *shape), []
    for i, layer in enumerate(layers):
        value = sample.clone().requires_grad_(i > 0)
        own = []
        for _ in range(job["repeats"] + 1):
            dist.barrier()
            start = time.perf_counter()
            passes([layer], value, times)
            own.append(time.perf_counter() - start)
        found.append(min(own))
        with torch.no_grad():
            sample = torch.relu(layer(sample))
    gathered = [None, None]
    dist.all_gather_object(gathered, found)
    return gathered


def described(layers, shape, times):
    rows, sample = [], torch.zeros(1, *shape)
    for layer, slow_s, fast_s in zip(layers, *times):
        with torch.no_grad():
            after = layer(sample)
        rows.append({"weight": sum(p.numel() for p in layer.parameters()), "input": sample.numel(),
                     "output": after.numel(), "slow_s": slow_s, "fast_s": fast_s})
        sample = after
    return rows


def slowed(job, rank):
    found = []
    for name, batch, shape, layers in stacks():
        times = layer_times(job, layers, shape, batch, rank)
        weights = sum(p.numel() for layer in layers for p in layer.parameters())
        gradients = torch.zeros(weights)
        sum_s = fastest(job["repeats"], lambda: dist.all_reduce(gradients))  # noqa: B023
        sample = torch.randn(batch, *shape)
        every = max(1, round(batch * (job["most"] - job["least"]) / job["steps"]))
        steps = []
        for count in range(max(1, round(batch * job["least"])), round(batch * job["most"]) + 1, every):
            own = sample[:count] if rank == SLOW else sample[count:]

            def step():
                passes(layers, own, job["slowness"] if rank == SLOW else 1)  # noqa: B023
                dist.all_reduce(gradients)  # noqa: B023

            steps.append([count / batch, fastest(job["repeats"], step)])
        found.append({"stack": name, "batch": batch, "bytes_per_s": weights * gradients.element_size() / sum_s,
                      "layers": described(layers, shape, times), "steps": steps})
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
