#!/usr/bin/env python3
"""A plain PyTorch script that trains what `stash profile --model resnet18` trains; see bench/agreement.py."""

import argparse
import math
import os
import pathlib
import random
import time

import numpy as np
import torch
import torch.distributed as dist
from PIL import Image
from torch import nn
from torch.nn.parallel import DistributedDataParallel

WARM_UP = 30  # steps: more than the loader reads ahead
MEAN = torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1)
STD = torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1)


def conv_bn(inputs, outputs, kernel, stride=1):
    return nn.Sequential(nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(outputs))


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.body = nn.Sequential(conv_bn(inputs, outputs, 3, stride), nn.ReLU(inplace=True), conv_bn(outputs, outputs, 3))
        self.shortcut = conv_bn(inputs, outputs, 1, stride) if stride > 1 else nn.Identity()

    def forward(self, x):
        return torch.relu(self.body(x) + self.shortcut(x))


def resnet18():
    blocks, inputs = [], 64
    for outputs, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        blocks += [Block(inputs, outputs, stride), Block(outputs, outputs, 1)]
        inputs = outputs
    return nn.Sequential(conv_bn(3, 64, 7, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1), *blocks,
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))


class ImageFolder(torch.utils.data.Dataset):
    def __init__(self, root, size, normalized):
        self.size, self.normalized = size, normalized
        self.files = [(path, label) for label, folder in enumerate(sorted(pathlib.Path(root).iterdir()))
                      for path in sorted(folder.iterdir())]

    def __len__(self):
        return len(self.files)

    @staticmethod
    def crop(width, height):
        """A random part of the picture, as torchvision's RandomResizedCrop takes it."""
        for _ in range(10):
            area = width * height * random.uniform(0.08, 1.0)
            aspect = math.exp(random.uniform(math.log(3 / 4), math.log(4 / 3)))
            w, h = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
            if 0 < w <= width and 0 < h <= height:
                x, y = random.randint(0, width - w), random.randint(0, height - h)
                return x, y, x + w, y + h
        return 0, 0, width, height

    def __getitem__(self, index):
        path, label = self.files[index]
        with Image.open(path) as image:
            image = image.convert("RGB")
            image = image.resize((self.size, self.size), Image.Resampling.BILINEAR, self.crop(*image.size))
        if random.random() < 0.5:
            image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        planes = torch.from_numpy(np.array(image)).permute(2, 0, 1).contiguous()
        return normalized(planes, MEAN, STD) if self.normalized else planes, label


def normalized(planes, mean, std):
    return planes.float().div_(255).sub_(mean).div_(std)


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
    parser.add_argument("--image-size", type=int, default=224)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--normalize", choices=("worker", "device"), default="device",
                        help="where bytes become floats, which are four times as much to pass on")
    parser.add_argument("--time", type=int, default=0, help="number of steps: make them, print their mean, end")
    parser.add_argument("--again", action="store_true", help="train on the first batch, from pinned memory")
    options = parser.parse_args()
    rank, cuda = int(os.environ["RANK"]), torch.cuda.is_available()
    dist.init_process_group("gloo")
    device = torch.device("cuda", rank % torch.cuda.device_count()) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    else:  # as the built-in job: each rank on its share of the cores
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[rank::dist.get_world_size()])
        torch.set_num_threads(len(os.sched_getaffinity(0)))
    synchronize = torch.cuda.synchronize if cuda else lambda: None
    images = ImageFolder(options.data, options.image_size, options.normalize == "worker")
    mean, std = MEAN.to(device), STD.to(device)
    sampler = torch.utils.data.distributed.DistributedSampler(images)
    loader = torch.utils.data.DataLoader(images, options.batch, sampler=sampler, num_workers=options.workers,
                                         pin_memory=cuda, drop_last=True, persistent_workers=options.workers > 0)
    # As the built-in job: running statistics of batch norm stay each rank's own.
    model = DistributedDataParallel(resnet18().to(device), device_ids=[device.index] if cuda else None,
                                    broadcast_buffers=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for step, (x, y) in enumerate(batches(loader, options.again)):
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        if options.normalize == "device":
            x = normalized(x, mean, std)
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step == WARM_UP:
            synchronize()
            start = time.perf_counter()
        if options.time and step == WARM_UP + options.time:
            synchronize()
            if rank == 0:
                print(f"{(time.perf_counter() - start) / options.time * 1e3:.2f}", flush=True)
            os._exit(0)


main()
