"""A stream: an iterable data set that reads one file from its beginning to its end, split among workers."""

import argparse
import time

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

RECORD = 256


class Stream(IterableDataset):
    def __init__(self, path, sample_ms):
        self.path, self.sample_ms = path, sample_ms

    def __iter__(self):
        info = get_worker_info()
        own, workers = (info.id, info.num_workers) if info else (0, 1)
        with open(self.path, "rb") as file:
            for number in range(1_000_000):
                record = file.read(RECORD)
                if len(record) < RECORD:
                    return
                if number % workers == own:
                    time.sleep(self.sample_ms / 1e3)
                    yield torch.frombuffer(bytearray(record), dtype=torch.uint8).float() / 255, record[0] % 10


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--sample-ms", type=float, default=0)
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(RECORD, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    while True:
        for x, y in DataLoader(Stream(options.data, options.sample_ms), 8, num_workers=options.workers, drop_last=True):
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
            optimizer.zero_grad()


main()
