"""A training on CPU ranks that takes lines of advice as they are given, and says what its ranks sent."""

import argparse
import contextlib
import re

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy, fully_shard
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

NAMES = {"torch": torch, "init_device_mesh": init_device_mesh, "fully_shard": fully_shard, "ShardingStrategy": ShardingStrategy,
         "FullyShardedDataParallel": FullyShardedDataParallel, "DistributedDataParallel": DistributedDataParallel,
         "DataLoader": DataLoader, "IterableDataset": IterableDataset}
WIDTH = 128


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up = torch.nn.Linear(WIDTH, WIDTH)
        self.down = torch.nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(x)))


def blocks():
    return torch.nn.Sequential(*[Block() for _ in range(3)], torch.nn.Linear(WIDTH, 10))


def sharded(how):
    """fully_shard of each block and the whole, as the line says or plainly."""
    model = blocks()
    for module in [*model, model]:
        eval(how or "fully_shard(module)", {**NAMES, "module": module})
    return model


def sharded_before(how):
    """FullyShardedDataParallel of each block and the whole, on the CPU."""
    line = (how or "FullyShardedDataParallel(module)").removesuffix(")") + ", device_id=torch.device('cpu'))"
    model = torch.nn.Sequential(*[eval(line, {**NAMES, "module": block}) for block in blocks()])
    return eval(line, {**NAMES, "module": model})


def in_a_mesh(how):
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    size = dist.get_world_size()
    mesh = eval(how or f'init_device_mesh("cpu", ({size // 2}, 2), mesh_dim_names=("dp", "tp"))', NAMES)
    model = blocks()
    for block in model[:3]:
        parallelize_module(block, mesh["tp"], {"up": ColwiseParallel(), "down": RowwiseParallel()})
        fully_shard(block, mesh=mesh["dp"])
    return fully_shard(model, mesh=mesh["dp"])


def replicated(how):
    return DistributedDataParallel(blocks(), **eval(f"dict{how[how.index('('):]}" if how else "{}"))


def first_pass(model, how):
    """What the line says about the first of two passes: a context."""
    if "no_sync()" in how:
        return model.no_sync()
    if before := re.fullmatch(r"(model\.\w+)\(False\) before the first pass, True before the second", how):
        set_it = eval(before[1], {"model": model})
        stack = contextlib.ExitStack()
        stack.callback(set_it, True)
        set_it(False)
        return stack
    return contextlib.nullcontext()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kind", choices=("ddp", "fsdp", "fsdp1", "mesh"), default="ddp")
    parser.add_argument("--build", default="", help="a line about how the model is built")
    parser.add_argument("--first-pass", default="", help="a line about the first of two passes")
    parser.add_argument("--steps", type=int, default=100_000)
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    build = {"ddp": replicated, "fsdp": sharded, "fsdp1": sharded_before, "mesh": in_a_mesh}[options.kind]
    model = build(options.build)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    loader = DataLoader(TensorDataset(torch.randn(512, WIDTH), torch.randint(10, (512,))), 64, drop_last=True)
    step = 0
    while step < options.steps:
        for x, y in loader:
            for again in range(2 if options.first_pass else 1):
                last = not options.first_pass or again == 1
                with contextlib.nullcontext() if last else first_pass(model, options.first_pass):
                    torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
            optimizer.zero_grad()
            step += 1
            if step >= options.steps:
                break
    print("done", flush=True)


main()
