"""Loads for some epochs, with samples and steps of known length, and looks whether each sample comes once and in
order."""

import argparse
import time

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset

SAMPLES = 240


class Numbers(Dataset):
    def __init__(self, sleep_s):
        self.sleep_s = sleep_s

    def __len__(self):
        return SAMPLES

    def __getitem__(self, index):
        time.sleep(self.sleep_s)
        return torch.tensor(index)


class Stream(IterableDataset):
    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        return iter(range(info.id, SAMPLES, info.num_workers))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kind", choices=("plain", "none", "stream", "spawn"), default="plain")
    parser.add_argument("--sample-ms", type=float, required=True)
    parser.add_argument("--step-ms", type=float, required=True)
    parser.add_argument("--epochs", type=int, required=True)
    options = parser.parse_args()
    data = Stream() if options.kind == "stream" else Numbers(options.sample_ms / 1000)
    workers = 0 if options.kind == "none" else 2
    context = {"none": None, "spawn": "spawn"}.get(options.kind, "fork")
    loader = DataLoader(data, batch_size=8, num_workers=workers, multiprocessing_context=context)
    in_order = True
    for _ in range(options.epochs):
        seen = []
        for batch in loader:
            seen += batch.tolist()
            time.sleep(options.step_ms / 1000)
        in_order = in_order and seen == list(range(SAMPLES))
    if in_order:
        print("every sample once and in order")


if __name__ == "__main__":
    main()
