"""In the style of nanoGPT: no DataLoader, batches are cut out of a memory-mapped file of tokens."""

import argparse
import os

import numpy as np
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--steps", type=int, default=100_000)
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    ddp = int(os.environ.get("RANK", -1)) >= 0
    if ddp:
        dist.init_process_group("gloo")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    length, vocabulary, width = 64, 256, 64

    def get_batch():
        data = np.memmap(options.data, dtype=np.uint16, mode="r")
        places = torch.randint(len(data) - length - 1, (8,))
        x = torch.stack([torch.from_numpy(data[i:i + length].astype(np.int64)) for i in places])
        y = torch.stack([torch.from_numpy(data[i + 1:i + 1 + length].astype(np.int64)) for i in places])
        return x.to(device), y.to(device)

    block = torch.nn.TransformerEncoderLayer(width, 4, 4 * width, batch_first=True)
    model = torch.nn.Sequential(torch.nn.Embedding(vocabulary, width), block, torch.nn.Linear(width, vocabulary)).to(device)
    if ddp:
        model = DistributedDataParallel(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(options.steps):
        for micro in range(2):
            if ddp:
                model.require_backward_grad_sync = micro == 1
            x, y = get_batch()
            loss = torch.nn.functional.cross_entropy(model(x % vocabulary).flatten(0, 1), (y % vocabulary).flatten())
            (loss / 2).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    if ddp:
        dist.destroy_process_group()


main()
