"""Ranks that compute two layers split by the types of `stash plan`, I by batch, II by input channels and III by output
channels, forward and backward in float64, beside the layers as a whole. With --steps the same exchanges again and again
between optimizer steps, for somebody who counts bytes."""

import argparse
import itertools
import json

import torch
import torch.distributed as dist
from torch.nn import functional

BATCH, CHANNELS, PIXELS = 24, (24, 48, 24), 5  # every part of 2, 3, 4 and 8 ranks has whole samples and channels
SAMPLES, CHANNEL, COPIES = 0, 1, None  # the dimension that a layout cuts
READ = {1: SAMPLES, 2: CHANNEL, 3: COPIES}
WRITTEN = {1: SAMPLES, 2: COPIES, 3: CHANNEL}


def bounds(size, shares):
    """Where each rank's part begins and ends."""
    ends = [round(size * sum(shares[:i + 1])) for i in range(len(shares))]
    return list(zip([0, *ends], ends))


def part(tensor, dimension, shares, rank):
    if dimension is None:
        return tensor
    start, end = bounds(tensor.shape[dimension], shares)[rank]
    return tensor.narrow(dimension, start, end - start)


class Ranks:
    """What ranks of a group exchange: elements that this one receives."""

    def __init__(self, group, members):
        self.group, self.rank, self.count = group, members.index(dist.get_rank()), len(members)
        self.within = self.between = 0

    def sum(self, tensor):
        tensor = tensor.contiguous()
        dist.all_reduce(tensor, group=self.group)
        self.within += tensor.numel()
        return tensor

    def move(self, tensor, shape, have, need):
        """A tensor of `shape` that lies as `have` says, as `need` says it; both are (dimension, shares). A rank gets
        what it lacks from the one that has it, and no more."""
        if have[0] is None:
            return part(tensor, *need, self.rank)
        boxes = [[(0, size) for size in shape] for _ in range(2 * self.count)]
        for rank in range(self.count):
            boxes[rank][have[0]] = bounds(shape[have[0]], have[1])[rank]
            if need[0] is not None:
                boxes[self.count + rank][need[0]] = bounds(shape[need[0]], need[1])[rank]
        mine, wanted = boxes[self.rank], boxes[self.count + self.rank]
        sent = [tensor[slices(common(mine, box), mine)].flatten() if rank != self.rank else tensor.new_empty(0)
                for rank, box in enumerate(boxes[self.count:])]
        pieces = [common(wanted, box) for box in boxes[:self.count]]
        sizes = [0 if rank == self.rank else volume(piece) for rank, piece in enumerate(pieces)]
        received = tensor.new_empty(sum(sizes))
        dist.all_to_all_single(received, torch.cat(sent), sizes, [piece.numel() for piece in sent], group=self.group)
        self.between += sum(sizes)
        result = tensor.new_empty([end - start for start, end in wanted])
        own = pieces[self.rank]
        result[slices(own, wanted)] = tensor[slices(own, mine)]
        for piece, values in zip(pieces, received.split(sizes)):
            if values.numel():
                result[slices(piece, wanted)] = values.view([end - start for start, end in piece])
        return result


def common(a, b):
    return [(max(one[0], other[0]), max(max(one[0], other[0]), min(one[1], other[1]))) for one, other in zip(a, b)]


def volume(box):
    return torch.Size([end - start for start, end in box]).numel()


def slices(box, of):
    return tuple(slice(start - first, end - first) for (start, end), (first, _) in zip(box, of))


class Layer:
    """One of the two layers on this rank."""

    def __init__(self, weight, kind, shares, ranks):
        self.kind, self.shares, self.ranks = kind, shares, ranks
        self.reads, self.writes = (READ[kind], shares), (WRITTEN[kind], shares)
        cut = {1: None, 2: 1, 3: 0}[kind]
        self.weight = part(weight, cut, shares, ranks.rank).clone().requires_grad_()

    def forward(self, x):
        self.x = x.detach().clone().requires_grad_()
        self.y = product(self.x, self.weight)
        return self.ranks.sum(self.y.detach().clone()) if self.kind == 2 else self.y.detach()

    def backward(self, gradient):
        gx, gw = torch.autograd.grad(self.y, (self.x, self.weight), gradient)
        self.weight_gradient = self.ranks.sum(gw) if self.kind == 1 else gw
        return self.ranks.sum(gx) if self.kind == 3 else gx


def product(x, weight):
    return functional.linear(x, weight) if weight.dim() == 2 else functional.conv2d(x, weight, padding=1)


def make(is_convolution):
    torch.manual_seed(3)
    more = (PIXELS, PIXELS) if is_convolution else ()
    kernel = (3, 3) if is_convolution else ()
    x = torch.randn(BATCH, CHANNELS[0], *more, dtype=torch.float64)
    weights = [torch.randn(out, into, *kernel, dtype=torch.float64) / 10 for into, out in itertools.pairwise(CHANNELS)]
    return x, weights, torch.randn(BATCH, CHANNELS[2], *more, dtype=torch.float64)


def whole(x, weights, gradient):
    """The unsplit layers: output, gradient of the input, gradients of the weights."""
    x, weights = x.clone().requires_grad_(), [weight.clone().requires_grad_() for weight in weights]
    y = product(torch.tanh(product(x, weights[0])), weights[1])
    return [y.detach(), *torch.autograd.grad(y, (x, *weights), gradient)]


def split(x, weights, gradient, kinds, shares, ranks):
    """The same on this rank, and how far its parts are from the whole's."""
    layers = [Layer(*one, ranks) for one in zip(weights, kinds, shares)]
    hidden = (BATCH, CHANNELS[1], *x.shape[2:])
    between = torch.tanh(layers[0].forward(part(x, *layers[0].reads, ranks.rank)))
    y = layers[1].forward(ranks.move(between, hidden, layers[0].writes, layers[1].reads))
    back = layers[1].backward(part(gradient, *layers[1].writes, ranks.rank))
    back = ranks.move(back, hidden, layers[1].reads, layers[0].writes) * (1 - between ** 2)
    gx = layers[0].backward(back)
    return [(y, *layers[1].writes), (gx, *layers[0].reads),
            *((layer.weight_gradient, {1: None, 2: 1, 3: 0}[layer.kind], layer.shares) for layer in layers)]


def error(own, wholes, rank):
    return max((have - part(all_of_it, cut, shares, rank)).abs().max().item()
               for (have, cut, shares), all_of_it in zip(own, wholes))


def cases(count):
    """Shares of both layers, equal or not."""
    equal = [1 / count] * count
    yield equal, equal
    if count == 2:
        yield [1 / 4, 3 / 4], [1 / 4, 3 / 4]
        yield [1 / 4, 3 / 4], [2 / 3, 1 / 3]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out")
    parser.add_argument("--steps", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    found = []
    sizes = [2] if options.steps else [size for size in (2, 3, 4, 8) if size <= dist.get_world_size()]
    groups = {size: dist.new_group(range(size)) for size in sizes}
    parameter = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([parameter], lr=0.1)
    for step in range(max(1, options.steps)):
        for size in sizes:
            if dist.get_rank() >= size:
                continue
            for is_convolution, kinds, shares in itertools.product((False, True), itertools.product((1, 2, 3), repeat=2),
                                                                   cases(size)):
                ranks = Ranks(groups[size], list(range(size)))
                made = make(is_convolution)
                own = split(*made, kinds, shares, ranks)
                if step == 0:
                    found.append({"ranks": size, "rank": ranks.rank, "convolution": is_convolution, "kinds": kinds,
                                  "shares": [one[ranks.rank] for one in shares], "within": ranks.within,
                                  "between": ranks.between, "error": error(own, whole(*made), ranks.rank)})
        if options.steps:
            parameter.grad = torch.zeros(1)
            optimizer.step()
    if options.out:
        with open(f"{options.out}.{dist.get_rank()}", "w") as file:
            json.dump(found, file)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
