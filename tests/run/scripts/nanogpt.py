"""In the style of nanoGPT: the next batch is cut out of a memory-mapped file while this one is computed."""

import argparse
import time

import numpy as np
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--data", required=True)
parser.add_argument("--steps", type=int, default=100_000)
parser.add_argument("--batch-ms", type=float, default=0, help="that making a batch sleeps")
parser.add_argument("--passes", type=int, default=1)
parser.add_argument("--ragged", action="store_true", help="batches of different lengths")
parser.add_argument("--print-losses", action="store_true")
options = parser.parse_args()
torch.manual_seed(1)
torch.set_num_threads(1)
length, vocabulary, width = 32, 256, 32


def get_batch(split):
    data = np.memmap(options.data, dtype=np.uint16, mode="r")
    time.sleep(options.batch_ms / 1e3)
    tokens = length - int(torch.randint(8, ())) if options.ragged else length
    places = torch.randint(len(data) - tokens - 1, (8,))
    x = torch.stack([torch.from_numpy(data[i:i + tokens].astype(np.int64) % vocabulary) for i in places])
    y = torch.stack([torch.from_numpy(data[i + 1:i + 1 + tokens].astype(np.int64) % vocabulary) for i in places])
    return x, y


def get_rate():
    return 1e-3


def never():
    return get_batch("train")


class Loader:
    def next_batch(self):
        return get_batch("train")

    def numbers(self):
        yield get_batch("train")


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(vocabulary, width)
        self.up = torch.nn.Linear(width, 4 * width)
        self.down = torch.nn.Linear(4 * width, vocabulary)

    def forward(self, x, y):
        logits = self.down(torch.relu(self.up(self.embed(x))))
        return logits, torch.nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())


model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
x, y = get_batch("train")
for step in range(options.steps):
    for group in optimizer.param_groups:
        group["lr"] = get_rate()
    for _ in range(options.passes):
        _, loss = model(x, y)
        x, y = get_batch("train")
        (loss / options.passes).backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    if options.print_losses:
        print(f"loss {step + 1} {loss.item().hex()}", flush=True)
print("done", float(loss), flush=True)
