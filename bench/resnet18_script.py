#!/usr/bin/env python3
"""A plain PyTorch script that trains what `stash profile --model resnet18` trains; see bench/agreement.py."""

import argparse
import os
import time

import torch
import torch.distributed as dist
import torchvision
from torch.nn.parallel import DistributedDataParallel
from torchvision import transforms


WARM_UP = 30  # steps: more than the loader reads ahead


def batches(loader, again):
    while True:
        for batch in loader:
            yield batch
            while again:
                yield batch


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--time", type=int, default=0, help="so many steps, print their mean, end")
    parser.add_argument("--again", action="store_true", help="train on the first batch, from pinned memory")
    options = parser.parse_args()
    rank = int(os.environ["RANK"])
    dist.init_process_group("gloo")
    device = torch.device("cuda", rank % torch.cuda.device_count())
    torch.cuda.set_device(device)
    images = torchvision.datasets.ImageFolder(options.data, transforms.Compose([
        transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(), transforms.ToTensor(),
        transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])]))
    sampler = torch.utils.data.distributed.DistributedSampler(images)
    loader = torch.utils.data.DataLoader(images, options.batch, sampler=sampler, num_workers=options.workers,
                                         pin_memory=True, drop_last=True, persistent_workers=True)
    # As the built-in job: running statistics of batch norm stay each rank's own.
    model = DistributedDataParallel(torchvision.models.resnet18().to(device), device_ids=[device.index],
                                    broadcast_buffers=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for step, (x, y) in enumerate(batches(loader, options.again)):
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step == WARM_UP:
            torch.cuda.synchronize()
            start = time.perf_counter()
        if options.time and step == WARM_UP + options.time:
            torch.cuda.synchronize()
            if rank == 0:
                print(f"{(time.perf_counter() - start) / options.time * 1e3:.2f}", flush=True)
            os._exit(0)


main()
