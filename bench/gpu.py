#!/usr/bin/env python3
"""The ledger on a GPU beside torch's own ways of knowing: needs a GPU, torchvision and transformers.

    bench/gpu.py --stash ./stash --data DIR [--models resnet18,resnet50,vgg11,bert_base]

For each model: interconnect of two Gloo ranks that share the GPU, as `stash profile` gives it and as the difference of
DistributedDataParallel's steps with and without no_sync(), windows alternating; and, with one NCCL rank, the whole
ledger, the sum of the layers' times, and CUDA events around the same model's forward and backward pass in Python.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import tempfile
import time

BATCH = {"resnet18": 128, "resnet50": 64, "vgg11": 64, "bert_base": 8}
SEQ_LEN = 384


def reference(name, device):
    """The model as people have it, and a function that gives its loss."""
    import torch

    if name == "bert_base":
        import transformers

        model = transformers.BertForQuestionAnswering(transformers.BertConfig()).to(device).train()
        tokens = torch.randint(30000, (BATCH[name], SEQ_LEN), device=device)
        at = torch.randint(SEQ_LEN, (BATCH[name],), device=device)
        return model, lambda m: m(input_ids=tokens, start_positions=at, end_positions=at).loss
    import torchvision

    model = getattr(torchvision.models, name)().to(device).train()
    images = torch.randn(BATCH[name], 3, 224, 224, device=device)
    labels = torch.randint(1000, (BATCH[name],), device=device)
    return model, lambda m: torch.nn.functional.cross_entropy(m(images), labels)


def interval(values):
    z, n = 1.96, len(values)
    t = z + (z**3 + z) / (4 * (n - 1)) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * (n - 1) ** 2)
    return statistics.mean(values), t * statistics.stdev(values) / math.sqrt(n)


def no_sync_rank(rank, path, name, rounds, queue):
    import contextlib

    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo", store=dist.FileStore(path, 2), rank=rank, world_size=2)
    model, loss = reference(name, "cuda:0")
    parallel = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(parallel.parameters(), lr=1e-3, momentum=0.9)

    def window(sync, steps):
        dist.barrier()
        start = time.monotonic()
        for _ in range(steps):
            optimizer.zero_grad(set_to_none=True)
            with contextlib.nullcontext() if sync else parallel.no_sync():
                loss(parallel).backward()
            optimizer.step()
        torch.cuda.synchronize()
        seconds = torch.tensor([(time.monotonic() - start) / steps])
        dist.all_reduce(seconds, op=dist.ReduceOp.MAX)
        return seconds.item()

    window(True, 3), window(False, 3)
    steps = max(3, math.ceil(0.4 / window(True, 3)))
    differences = []
    for _ in range(rounds):
        together, apart = window(True, steps), window(False, steps)
        differences.append(together - apart)
    if rank == 0:
        queue.put(interval(differences))
    dist.barrier()


def no_sync_interconnect(name, rounds=7):
    import torch.multiprocessing as mp

    context = mp.get_context("spawn")
    queue = context.SimpleQueue()
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(no_sync_rank, args=(os.path.join(folder, "store"), name, rounds, queue), nprocs=2)
    return queue.get()


def event_time(name, steps=20):
    """Milliseconds of the forward and backward pass between CUDA events, mean and half interval."""
    import torch

    model, loss = reference(name, "cuda:0")
    samples = []
    for step in range(steps + 5):
        model.zero_grad(set_to_none=True)
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        loss(model).backward()
        stop.record()
        torch.cuda.synchronize()
        if step >= 5:
            samples.append(start.elapsed_time(stop))
    return interval(samples)


def profile(stash, name, data, out, *flags):
    command = [stash, "profile", "--model", name, "--batch", str(BATCH[name]), "--device", "cuda", "--out", out, *flags]
    if name != "bert_base":
        command += ["--data", data]
    report = subprocess.run([*command, "--format", "json"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    with open(out, encoding="utf-8") as file:
        return json.loads(report.stdout)["ledger"], json.load(file)


def cell(estimate):
    if estimate is None:
        return "–"
    return f"{estimate['s'] * 1e3:.2f} ± {(estimate['high_s'] - estimate['low_s']) * 500:.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stash", default="./stash")
    parser.add_argument("--data", required=True)
    parser.add_argument("--models", default=",".join(BATCH))
    parser.add_argument("--out", default=tempfile.gettempdir())
    options = parser.parse_args()
    for name in options.models.split(","):
        two, _ = profile(options.stash, name, options.data, os.path.join(options.out, f"{name}-gloo.json"), "--ranks", "2",
                         "--backend", "gloo", "--max-time", "45s")
        one, raw = profile(options.stash, name, options.data, os.path.join(options.out, f"{name}-nccl.json"), "--ranks",
                           "1", "--max-time", "30s")
        synced, half = no_sync_interconnect(name)
        events, events_half = event_time(name)
        layers = sum((layer["forward_s"] or 0) + (layer["backward_s"] or 0) for layer in raw["layers"])
        print(f"| {name} {BATCH[name]} | two Gloo ranks | {cell(two['step'])} | "
              + " | ".join(cell(two["parts"][part]) for part in two["parts"]) + " |")
        print(f"| {name} {BATCH[name]} | one NCCL rank | {cell(one['step'])} | "
              + " | ".join(cell(one["parts"][part]) for part in one["parts"]) + " |")
        print(f"  {name}: interconnect {cell(two['parts']['interconnect'])} ms, by no_sync {synced * 1e3:.2f} ± "
              f"{half * 1e3:.2f} ms; layers {layers * 1e3:.2f} ms, CUDA events in Python {events:.2f} ± {events_half:.2f} ms",
              flush=True)


if __name__ == "__main__":
    main()
