"""The collectives of torch.distributed, each with numbers that tell who sent what."""

import torch
import torch.distributed as dist

ELEMENTS = 6  # divides by the ranks


def numbers(rank, count=ELEMENTS):
    return torch.arange(count, dtype=torch.float32) + 100 * (rank + 1)


def pieces(size):
    return [torch.zeros(ELEMENTS) for _ in range(size)]


# Each collective of torch.distributed: takes rank, size and group, returns the tensors that it fills.
def all_reduce(rank, size, group):
    tensor = numbers(rank)
    dist.all_reduce(tensor, group=group)
    return [tensor]


def all_reduce_coalesced(rank, size, group):
    tensors = [numbers(rank), numbers(rank, 2)]
    dist.all_reduce_coalesced(tensors, group=group)
    return tensors


def reduce(rank, size, group):
    tensor = numbers(rank)
    dist.reduce(tensor, dst=1, group=group)
    return [tensor] if rank == 1 else []


def broadcast(rank, size, group):
    tensor = numbers(rank)
    dist.broadcast(tensor, src=1, group=group)
    return [tensor]


def all_gather(rank, size, group):
    outputs = pieces(size)
    dist.all_gather(outputs, numbers(rank), group=group)
    return outputs


def all_gather_into_tensor(rank, size, group):
    output = torch.zeros(size * ELEMENTS)
    dist.all_gather_into_tensor(output, numbers(rank), group=group)
    return [output]


def all_gather_coalesced(rank, size, group):
    outputs = [pieces(size), pieces(size)]
    dist.all_gather_coalesced(outputs, [numbers(rank), -numbers(rank)], group=group)
    return sum(outputs, [])


def gather(rank, size, group):
    outputs = pieces(size) if rank == 0 else None
    dist.gather(numbers(rank), outputs, dst=0, group=group)
    return outputs or []


def scatter(rank, size, group):
    output = torch.zeros(ELEMENTS)
    dist.scatter(output, [numbers(place) for place in range(size)] if rank == 1 else None, src=1, group=group)
    return [output]


def reduce_scatter(rank, size, group):
    output = torch.zeros(ELEMENTS)
    dist.reduce_scatter(output, [numbers(rank + place) for place in range(size)], group=group)
    return [output]


def reduce_scatter_tensor(rank, size, group):
    output = torch.zeros(ELEMENTS)
    dist.reduce_scatter_tensor(output, numbers(rank, size * ELEMENTS), group=group)
    return [output]


def all_to_all_single(rank, size, group):
    output = torch.zeros(ELEMENTS)
    dist.all_to_all_single(output, numbers(rank), group=group)
    return [output]


def all_to_all_with_splits(rank, size, group):
    output = torch.zeros(size * (rank + 1))
    dist.all_to_all_single(output, numbers(rank, sum(range(1, size + 1))), [rank + 1] * size,
                           list(range(1, size + 1)), group=group)
    return [output]


def all_to_all(rank, size, group):
    outputs = pieces(size)
    dist.all_to_all(outputs, [numbers(rank) + place for place in range(size)], group=group)
    return outputs


def send_and_recv(rank, size, group):
    tensor = numbers(rank)
    if rank == 0:
        dist.send(tensor, 1, group=group)
    elif rank == 1:
        dist.recv(tensor, 0, group=group)
    return [tensor]


def recv_from_anyone(rank, size, group):
    tensor = numbers(rank)
    if rank == 1:
        dist.send(tensor, 0, group=group)
    elif rank == 0:
        dist.recv(tensor, group=group)
    return [tensor]


def batched_send_and_recv(rank, size, group):
    received = torch.zeros(ELEMENTS)
    peer = 1 - rank
    if rank > 1:
        return [received]
    for work in dist.batch_isend_irecv([dist.P2POp(dist.isend, numbers(rank), peer, group),
                                        dist.P2POp(dist.irecv, received, peer, group)]):
        work.wait()
    return [received]


def coalesced(rank, size, group):
    tensors = [numbers(rank), numbers(rank, 3)]
    with dist._coalescing_manager(group, device=torch.device("cpu"), async_ops=True) as manager:
        for tensor in tensors:
            dist.all_reduce(tensor, group=group)
    manager.wait()
    return tensors


def barrier(rank, size, group):
    dist.barrier(group=group)
    return []


def monitored_barrier(rank, size, group):
    dist.monitored_barrier(group=group)
    return []


COLLECTIVES = [all_reduce, all_reduce_coalesced, reduce, broadcast, all_gather, all_gather_into_tensor,
               all_gather_coalesced, gather, scatter, reduce_scatter, reduce_scatter_tensor, all_to_all_single,
               all_to_all_with_splits, all_to_all, send_and_recv, recv_from_anyone, batched_send_and_recv, coalesced,
               barrier, monitored_barrier]
