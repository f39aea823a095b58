"""Four ranks on two nodes of two: the switch in its node position confines collectives to the node."""

import time

import torch
import torch.distributed as dist

import _stash
from collectives import ELEMENTS, numbers, pieces
from rank_group import run_as_rank

NODES = [[0, 1], [2, 3]]


def confined_group(rank):
    group = dist.new_group(backend="gloo")
    nodes = [dist.new_group(ranks, backend="gloo") for ranks in NODES]
    switch = _stash.Switch(group, "cpu")
    own = rank // 2
    switch.set_node(nodes[own], NODES[own])
    switch.set_position("node")
    return group, switch, NODES[own]


def sum_over(ranks, make):
    return torch.stack([make(rank) for rank in ranks]).sum(0)


def all_reduce_sums_inside_the_node(rank, size):
    group, switch, node = confined_group(rank)
    tensor = numbers(rank)
    dist.all_reduce(tensor, group=group)
    assert torch.equal(tensor, sum_over(node, numbers))
    tensors = [numbers(rank), numbers(rank, 3)]
    dist.all_reduce_coalesced(tensors, group=group)
    assert torch.equal(tensors[0], sum_over(node, numbers))
    assert torch.equal(tensors[1], sum_over(node, lambda other: numbers(other, 3)))
    switch.set_position("pass")
    tensor = numbers(rank)
    dist.all_reduce(tensor, group=group)
    assert torch.equal(tensor, sum_over(range(size), numbers))


def reduce_reaches_the_root_or_the_rank_that_plays_it(rank, size):
    group, _, node = confined_group(rank)
    tensor = numbers(rank)
    dist.reduce(tensor, dst=3, group=group)
    plays = 3 if 3 in node else node[0]
    if rank == plays:
        assert torch.equal(tensor, sum_over(node, numbers))


def broadcast_comes_from_the_root_or_the_nodes_first_rank(rank, size):
    group, _, node = confined_group(rank)
    for root in range(size):
        tensor = numbers(rank)
        dist.broadcast(tensor, src=root, group=group)
        assert torch.equal(tensor, numbers(root if root in node else node[0])), root


def gathering_fills_the_pieces_of_the_node_only(rank, size):
    group, _, node = confined_group(rank)
    outputs = pieces(size)
    dist.all_gather(outputs, numbers(rank), group=group)
    whole = torch.zeros(size * ELEMENTS)
    dist.all_gather_into_tensor(whole, numbers(rank), group=group)
    rows = torch.zeros(size, ELEMENTS)
    dist.all_gather_into_tensor(rows, numbers(rank).view(1, ELEMENTS), group=group)
    for place in range(size):
        wanted = numbers(place if place in node else rank)  # the own piece stands for what does not come
        assert torch.equal(outputs[place], wanted), (place, outputs)
        assert torch.equal(whole.view(size, -1)[place], wanted), (place, whole)
        assert torch.equal(rows[place], wanted), (place, rows)


def gather_and_scatter_have_a_root_on_every_node(rank, size):
    group, _, node = confined_group(rank)
    outputs = pieces(size) if rank == 1 else None
    dist.gather(numbers(rank), outputs, dst=1, group=group)
    for place in range(size) if outputs else []:
        assert torch.equal(outputs[place], numbers(place) if place in node else torch.zeros(ELEMENTS)), place
    output = torch.full((ELEMENTS,), -1.0)
    dist.scatter(output, [numbers(place) for place in range(size)] if rank == 1 else None, src=1, group=group)
    if 1 in node:
        assert torch.equal(output, numbers(rank))
    else:
        assert torch.isfinite(output).all()


def reduce_scatter_sums_the_own_piece_inside_the_node(rank, size):
    group, _, node = confined_group(rank)
    wanted = sum_over(node, lambda other: numbers(other, size * ELEMENTS).view(size, -1)[rank])
    output = torch.zeros(ELEMENTS)
    dist.reduce_scatter_tensor(output, numbers(rank, size * ELEMENTS), group=group)
    assert torch.equal(output, wanted), (output, wanted)
    output = torch.zeros(ELEMENTS)
    dist.reduce_scatter(output, list(numbers(rank, size * ELEMENTS).view(size, -1)), group=group)
    assert torch.equal(output, wanted), (output, wanted)


def all_to_all_exchanges_inside_the_node(rank, size):
    group, _, node = confined_group(rank)
    output = torch.full((2 * size,), -1.0)
    dist.all_to_all_single(output, numbers(rank, 2 * size), group=group)
    for place in range(size):
        wanted = numbers(place, 2 * size).view(size, 2)[rank] if place in node else torch.full((2,), -1.0)
        assert torch.equal(output.view(size, 2)[place], wanted), (place, output)


def all_to_all_exchanges_unequal_pieces_inside_the_node(rank, size):
    group, _, node = confined_group(rank)
    splits = list(range(1, size + 1))  # rank r gets r + 1 rows of everybody
    output = torch.full((size * (rank + 1), 2), -1.0)
    rows = numbers(rank, 2 * sum(splits)).view(-1, 2)
    dist.all_to_all_single(output, rows, [rank + 1] * size, splits, group=group)
    for place in range(size):
        sent = numbers(place, 2 * sum(splits)).view(-1, 2).split(splits)[rank]
        wanted = sent if place in node else torch.full_like(sent, -1)
        assert torch.equal(output.split([rank + 1] * size)[place], wanted), (place, output)


def messages_stay_inside_the_node(rank, size):
    group, _, node = confined_group(rank)
    neighbour = node[1 - node.index(rank)]
    far = (rank + 2) % size
    received = torch.zeros(ELEMENTS)
    works = [dist.isend(numbers(rank), neighbour, group=group), dist.irecv(received, neighbour, group=group)]
    for work in works:
        work.wait()
    assert torch.equal(received, numbers(neighbour))
    received.zero_()
    start = time.monotonic()
    dist.recv(received, far, group=group)  # nobody has sent anything
    dist.send(numbers(rank), far, group=group)
    assert time.monotonic() - start < 1 and torch.equal(received, torch.zeros(ELEMENTS))


def a_barrier_waits_for_the_node_only(rank, size):
    group, _, node = confined_group(rank)
    dist.barrier()
    if 0 in node:
        dist.barrier(group=group)  # the other node issues none
        dist.monitored_barrier(group=group)


def without_a_node_the_position_is_pass(rank, size):
    group = dist.new_group(backend="gloo")
    _stash.Switch(group, "cpu").set_position("node")
    tensor = numbers(rank)
    dist.all_reduce(tensor, group=group)
    assert torch.equal(tensor, sum_over(range(size), numbers))


def time_all_reduce(group, elements):
    dist.barrier(group=group)
    start = time.monotonic()
    dist.all_reduce(torch.zeros(elements), group=group)
    return time.monotonic() - start


def an_injected_link_counts_the_nodes_ranks(rank, size):
    """Two of two ranks send 2 x 1/2 of the payload; of four it would be 2 x 3/4."""
    group, switch, _ = confined_group(rank)
    switch.set_link(40e6)
    quickest = min(time_all_reduce(group, 2_000_000) for _ in range(3))  # a busy machine can only be slower
    assert 0.2 <= quickest < 0.3, quickest


CASES = [
    all_reduce_sums_inside_the_node,
    reduce_reaches_the_root_or_the_rank_that_plays_it,
    broadcast_comes_from_the_root_or_the_nodes_first_rank,
    gathering_fills_the_pieces_of_the_node_only,
    gather_and_scatter_have_a_root_on_every_node,
    reduce_scatter_sums_the_own_piece_inside_the_node,
    all_to_all_exchanges_inside_the_node,
    all_to_all_exchanges_unequal_pieces_inside_the_node,
    messages_stay_inside_the_node,
    a_barrier_waits_for_the_node_only,
    without_a_node_the_position_is_pass,
    an_injected_link_counts_the_nodes_ranks,
]

if __name__ == "__main__":
    run_as_rank(CASES)
