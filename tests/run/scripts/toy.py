"""A small training with DistributedDataParallel, or on its own; flags put stalls into it."""

import argparse
import hashlib
import os
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Collate:
    """A class, so that spawned workers can have it."""

    def __init__(self, sleep_s, as_dict):
        self.sleep_s, self.as_dict = sleep_s, as_dict

    def __call__(self, samples):
        time.sleep(self.sleep_s)
        values, labels = torch.utils.data.default_collate(samples)
        return {"values": values, "labels": labels} if self.as_dict else (values, labels)


class Samples(Dataset):
    """Random numbers, or files of them."""

    def __init__(self, count, width, folder, sleep_s):
        self.count, self.width, self.folder, self.sleep_s = count, width, folder, sleep_s

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        time.sleep(self.sleep_s)
        if self.folder:
            with open(os.path.join(self.folder, f"{index % 64}.bin"), "rb") as file:
                data = file.read()
            value = torch.frombuffer(bytearray(data[: 4 * self.width]), dtype=torch.float32)
        else:
            value = torch.full((self.width,), index / self.count)
        return value, index % 10


def place(*names, default):
    """What the launcher says, whichever it is."""
    return next((int(os.environ[name]) for name in names if name in os.environ), default)


def digest(model):
    """Of the weights, to the last bit."""
    weights = torch.cat([parameter.detach().flatten().cpu() for parameter in model.parameters()])
    return hashlib.sha256(weights.numpy().tobytes()).hexdigest()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--spawn", action="store_true", help="workers that are not copies of their rank")
    parser.add_argument("--persistent", action="store_true", help="workers that outlive an epoch")
    parser.add_argument("--samples", type=int, default=4096)
    parser.add_argument("--folder", default="")
    parser.add_argument("--sample-ms", type=float, default=0)
    parser.add_argument("--collate-ms", type=float, default=0)
    parser.add_argument("--rank-ms", type=float, default=0, help="what the last rank sleeps in every step")
    parser.add_argument("--compute-ms", type=float, default=0, help="slept in every step by every rank")
    parser.add_argument("--accumulate", type=int, default=1)
    parser.add_argument("--dict", action="store_true")
    parser.add_argument("--print-losses", action="store_true")
    parser.add_argument("--no-group", action="store_true")
    parser.add_argument("--bf16", action="store_true", help="autocast, as most scripts have it")
    parser.add_argument("--dropout", type=float, default=0)
    parser.add_argument("--fail-at", type=int, default=0)
    options = parser.parse_args()

    torch.manual_seed(1)
    torch.set_num_threads(1)
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)) % torch.cuda.device_count()) if cuda else torch.device("cpu")
    size = place("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS", default=1)
    rank = place("RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", default=0)
    grouped = size > 1 and not options.no_group
    if grouped:
        dist.init_process_group("gloo", rank=rank, world_size=size)

    layers = []
    for _ in range(options.layers):
        layers += [torch.nn.Linear(options.width, options.width), torch.nn.ReLU(), torch.nn.Dropout(options.dropout)]
    model = torch.nn.Sequential(*layers, torch.nn.Linear(options.width, 10)).to(device)
    if grouped:
        model = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10, 0.9)

    samples = Samples(options.samples, options.width, options.folder, options.sample_ms / 1e3)
    sampler = DistributedSampler(samples) if grouped else None
    loader = DataLoader(samples, options.batch, shuffle=sampler is None, sampler=sampler, num_workers=options.workers,
                        collate_fn=Collate(options.collate_ms / 1e3, options.dict), drop_last=True,
                        multiprocessing_context="spawn" if options.spawn else None,
                        persistent_workers=options.persistent)
    step, micro = 0, 0
    while step < options.steps:
        for batch in loader:
            values, labels = (batch.pop("values"), batch.pop("labels")) if options.dict else batch
            values, labels = values.to(device, non_blocking=True), labels.to(device, non_blocking=True)
            with torch.autocast(device.type, dtype=torch.bfloat16, enabled=options.bf16):
                loss = torch.nn.functional.cross_entropy(model(values), labels)
            loss.backward()
            time.sleep(options.compute_ms / 1e3)
            micro += 1
            if micro % options.accumulate:
                continue
            if rank == size - 1:
                time.sleep(options.rank_ms / 1e3)
            optimizer.step()
            optimizer.zero_grad()
            scheduler.step()
            step += 1
            if options.print_losses and rank == 0:
                print(f"loss {step} {loss.item().hex()} {digest(model)}", flush=True)
            if step == options.fail_at:
                raise RuntimeError("the script's own fault")
            if step >= options.steps:
                break
    print("done", flush=True)


if __name__ == "__main__":
    main()
