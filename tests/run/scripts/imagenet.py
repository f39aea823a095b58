"""In the style of PyTorch's ImageNet example: a folder of classes, spawned ranks, meters, validation, a checkpoint."""

import argparse
import os
import pathlib
import tempfile
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


class ImageFolder(torch.utils.data.Dataset):
    def __init__(self, root):
        self.files = sorted((path, label) for label, folder in enumerate(sorted(pathlib.Path(root).iterdir()))
                            for path in folder.iterdir())

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        path, label = self.files[index]
        data = torch.frombuffer(bytearray(path.read_bytes()), dtype=torch.uint8)
        return torch.nn.functional.pad(data[:3 * 32 * 32].float() / 255, (0, max(0, 3 * 32 * 32 - len(data)))).view(3, 32, 32), label


class Meter:
    def __init__(self):
        self.sum, self.count = 0.0, 0

    def update(self, value):
        self.sum += value
        self.count += 1


def work(rank, options, store):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", world_size=options.ranks, rank=rank)
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3), torch.nn.BatchNorm2d(16), torch.nn.ReLU(),
                                torch.nn.AdaptiveAvgPool2d(4), torch.nn.Flatten(), torch.nn.Linear(256, 10))
    model = torch.nn.parallel.DistributedDataParallel(model)
    criterion = torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=30, gamma=0.1)
    data = ImageFolder(options.data)
    sampler = torch.utils.data.distributed.DistributedSampler(data)
    loader = torch.utils.data.DataLoader(data, batch_size=8, sampler=sampler, num_workers=1, persistent_workers=True)
    for epoch in range(options.epochs):
        sampler.set_epoch(epoch)
        batch_time, losses, end = Meter(), Meter(), time.time()
        model.train()
        for i, (images, target) in enumerate(loader):
            loss = criterion(model(images), target)
            losses.update(loss.item())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            batch_time.update(time.time() - end)
            end = time.time()
            if i % 10 == 0:
                total = torch.tensor([losses.sum, losses.count])
                dist.all_reduce(total)
        model.eval()
        with torch.no_grad():
            for images, _ in torch.utils.data.DataLoader(data, 8):
                model(images)
        scheduler.step()
        if rank == 0:
            torch.save(model.state_dict(), os.path.join(tempfile.gettempdir(), f"checkpoint-{os.getpid()}.pt"))
            os.unlink(os.path.join(tempfile.gettempdir(), f"checkpoint-{os.getpid()}.pt"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("--epochs", type=int, default=1000)
    parser.add_argument("--ranks", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(work, nprocs=options.ranks, args=(options, os.path.join(folder, "store")))


if __name__ == "__main__":
    main()
