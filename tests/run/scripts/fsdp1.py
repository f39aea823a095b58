"""FSDP as it was first: flat parameters, wrapped modules."""

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    model = torch.nn.Sequential(*[torch.nn.Linear(256, 256) for _ in range(4)], torch.nn.Linear(256, 10))
    model = FullyShardedDataParallel(model, auto_wrap_policy=ModuleWrapPolicy({torch.nn.Linear}),
                                     device_id=torch.device("cpu"))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = TensorDataset(torch.randn(2048, 256), torch.randint(10, (2048,)))
    loader = DataLoader(data, 16, shuffle=True, drop_last=True)
    while True:
        for x, y in loader:
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
            optimizer.zero_grad()


main()
