"""Ranks meet: they learn which of them share a node, and that they are of one kind."""

import torch.distributed as dist

import _stash
from rank_group import run_as_rank


def meet(case, rank, size, **facts):
    store = dist.PrefixStore(case, dist.distributed_c10d._get_default_store())
    team = _stash.Team(store, rank, size)
    team.meet(_stash.Member(**{"host": "a", "node": "a", "stash": "1", "torch": "2", "job": "x", **facts}), 5)
    return team.nodes()


def ranks_of_one_node(rank, size):
    assert meet("one", rank, size) == [list(range(size))]


def ranks_of_several_nodes(rank, size):
    assert meet("several", rank, size, node=str(rank % 2)) == [[0, 2], [1]]


def fails_with(kind, text, case, rank, size, **facts):
    try:
        meet(case, rank, size, **facts)
    except kind as error:
        assert text in str(error), error
        return
    raise AssertionError("it did not fail")


def another_version_is_named(rank, size):
    host = "abc"[rank]
    fails_with(_stash.Error, "rank 0 on a has stash 1 and rank 2 on c has stash 2", "version", rank, size, host=host,
               stash="2" if rank == 2 else "1")
    fails_with(_stash.Error, "rank 0 on a has torch 2.11 and rank 1 on b has torch 2.13", "torch", rank, size, host=host,
               torch="2.13" if rank else "2.11")


def other_flags_are_named(rank, size):
    fails_with(_stash.UsageError, "rank 1 on a was started with other flags than rank 0 on a", "flags", rank, size,
               job="y" if rank == 1 else "x")


def who_does_not_come_is_named(rank, size):
    store = dist.PrefixStore("missing", dist.distributed_c10d._get_default_store())
    if rank == 2:
        return
    try:
        _stash.Team(store, rank, size).meet(_stash.Member(host="a", node="a", torch="2"), 0.05)
    except _stash.Error as error:
        assert "1 of 3 ranks did not come" in str(error) and "rank 2" in str(error), error
        return
    raise AssertionError("it did not fail")


CASES = [ranks_of_one_node, ranks_of_several_nodes, another_version_is_named, other_flags_are_named,
         who_does_not_come_is_named]

if __name__ == "__main__":
    run_as_rank(CASES)
