"""Four ranks as a mesh of two rows: FSDP2 along the columns, tensor parallelism along the rows, or groups by hand."""

import argparse
import time

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.utils.data import DataLoader, TensorDataset


class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = torch.nn.Linear(width, width)
        self.down = torch.nn.Linear(width, width)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(x)))


def sharded(options):
    """FSDP2 of blocks that are tensor parallel; the mesh names its dimensions."""
    from torch.distributed.fsdp import fully_shard
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    mesh = init_device_mesh("cpu", (dist.get_world_size() // 2, 2), mesh_dim_names=("dp", "tp"))
    model = torch.nn.Sequential(*[Block(options.width) for _ in range(2)], torch.nn.Linear(options.width, 10))
    for block in model[:2]:
        parallelize_module(block, mesh["tp"], {"up": ColwiseParallel(), "down": RowwiseParallel()})
        fully_shard(block, mesh=mesh["dp"])
    fully_shard(model, mesh=mesh["dp"])
    return model, lambda: None


class Sum(torch.autograd.Function):
    """All-reduce forward and backward, as tensor parallelism by hand has it; `delay_s` is what the group's link lacks."""

    @staticmethod
    def forward(context, x, group):
        context.group = group
        x = x.clone()
        dist.all_reduce(x, group=group)
        return x

    @staticmethod
    def backward(context, gradient):
        gradient = gradient.clone()
        dist.all_reduce(gradient, group=context.group)
        return gradient, None


def by_hand(options):
    """Groups that only variables name."""
    rank, size = dist.get_rank(), dist.get_world_size()
    rows = [[first, first + 1] for first in range(0, size, 2)]
    columns = [list(range(start, size, 2)) for start in (0, 1)]
    tensor_parallel_group = [dist.new_group(ranks) for ranks in rows][rank // 2]
    data_parallel_group = [dist.new_group(ranks) for ranks in columns][rank % 2]
    solitary_group = [dist.new_group([alone]) for alone in range(size)][rank] if options.alone else None
    model = torch.nn.Sequential(*[torch.nn.Linear(options.width, options.width) for _ in range(3)],
                                torch.nn.Linear(options.width, 10))
    state = {"tp": tensor_parallel_group, "pending": None}
    model[1].register_forward_hook(lambda module, inputs, output: Sum.apply(output, state["tp"]) / 2)

    def reduce():
        if solitary_group is not None:
            dist.all_reduce(torch.zeros(1), group=solitary_group)
        if options.temporary:
            short_lived = dist.new_group(list(range(size)))
            dist.all_reduce(torch.zeros(8), group=short_lived)
            dist.destroy_process_group(short_lived)
        for parameter in model.parameters():
            dist.all_reduce(parameter.grad, group=data_parallel_group)
            parameter.grad /= dist.get_world_size(data_parallel_group)

    return model, reduce


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kind", choices=("sharded", "hand"), default="sharded")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--compute-ms", type=float, default=0)
    parser.add_argument("--alone", action="store_true", help="also a group of one rank each")
    parser.add_argument("--temporary", action="store_true", help="also a group that lives for a step")
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--fewer-on-rank", type=int, default=None, help="ends ten steps before the others")
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    model, reduce = {"sharded": sharded, "hand": by_hand}[options.kind](options)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = DataLoader(TensorDataset(torch.randn(1024, options.width), torch.randint(10, (1024,))), 16, drop_last=True)
    steps = options.steps - (10 if dist.get_rank() == options.fewer_on_rank else 0)
    step = 0
    while step < steps:
        for x, y in loader:
            loss = torch.nn.functional.cross_entropy(model(x), y)
            loss.backward()
            time.sleep(options.compute_ms / 1e3)
            reduce()
            optimizer.step()
            optimizer.zero_grad()
            step += 1
            if step >= steps:
                break
    print("done", float(loss), flush=True)


main()
