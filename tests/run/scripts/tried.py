"""DistributedDataParallel on CPU ranks: a million parameters in two layers, samples that take a while."""

import argparse
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset


class Slow(Dataset):
    def __init__(self, sample_ms):
        self.sample_ms = sample_ms

    def __len__(self):
        return 4096

    def __getitem__(self, index):
        time.sleep(self.sample_ms / 1e3)
        return torch.full((512,), index / 4096), index % 512


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--sample-ms", type=float, default=0)
    parser.add_argument("--bucket-mb", type=float, default=25)
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    model = torch.nn.Sequential(*[torch.nn.Linear(512, 512) for _ in range(4)])
    model = DistributedDataParallel(model, bucket_cap_mb=options.bucket_mb)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    loader = DataLoader(Slow(options.sample_ms), 8, num_workers=options.workers, drop_last=True)
    while True:
        for x, y in loader:
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
            optimizer.zero_grad()


main()
