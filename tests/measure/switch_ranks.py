"""Two ranks and a switch between them: pass, off, counters, an injected link."""

import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import _stash
from collectives import COLLECTIVES, all_reduce, numbers, recv_from_anyone
from rank_group import run_as_rank


def switched_group():
    group = dist.new_group(backend="gloo")
    return group, _stash.Switch(group, "cpu")


def outcome_of(collective, rank, size, group):
    """What it filled, or the kind of error: this torch's gloo does not know every collective."""
    try:
        return collective(rank, size, group), ""
    except RuntimeError as error:
        return None, type(error).__name__


def pass_is_the_bare_backend_for_every_collective(rank, size):
    bare = dist.new_group(backend="gloo")
    group, _ = switched_group()
    known = 0
    for collective in COLLECTIVES:
        wanted, wanted_error = outcome_of(collective, rank, size, bare)
        found, found_error = outcome_of(collective, rank, size, group)
        assert wanted_error == found_error, f"{collective.__name__}: {wanted_error!r} became {found_error!r}"
        known += wanted is not None
        for one, other in zip(wanted or [], found or []):
            assert torch.equal(one, other), f"{collective.__name__}: {one} became {other}"
        assert len(wanted or []) == len(found or []), collective.__name__
    assert known >= 15, f"only {known} collectives ran"


def off_returns_at_once_without_the_other_rank(rank, size):
    """Rank 0 alone issues them: anything that went out would wait for rank 1."""
    group, switch = switched_group()
    switch.set_position("off")
    if rank == 0:
        for collective in COLLECTIVES:
            start = time.monotonic()
            filled = collective(rank, size, group)
            assert time.monotonic() - start < 1, f"{collective.__name__} waited"
            for tensor in filled:
                assert torch.isfinite(tensor).all(), collective.__name__
        tensor = numbers(rank)
        dist.all_reduce(tensor, group=group)
        assert torch.equal(tensor, numbers(rank)), "a collective that is off must not touch its tensor"
        assert switch.counters() == [], f"what is off was counted: {switch.counters()}"
    switch.set_position("pass")
    assert torch.equal(all_reduce(rank, size, group)[0], numbers(0) + numbers(1)), "pass after off"


def off_hands_back_completed_work_whose_future_holds_the_tensors(rank, size):
    group, switch = switched_group()
    switch.set_position("off")
    tensor = numbers(rank)
    work = dist.all_reduce(tensor, group=group, async_op=True)
    assert work.is_completed()
    future = work.get_future()
    assert future.done()
    assert future.value()[0].data_ptr() == tensor.data_ptr()
    assert work.wait()
    seen = []
    future.then(lambda done: seen.append(done.value()))
    assert seen, "what follows on the future runs"


def make_model():
    torch.manual_seed(3)
    return torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU(),
                               torch.nn.Flatten(), torch.nn.Linear(8 * 36, 10))


def make_batch(rank, step):
    generator = torch.Generator().manual_seed(1000 * step + rank)
    return torch.randn(4, 3, 8, 8, generator=generator), torch.randint(10, (4,), generator=generator)


def train(model, rank, steps=4):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for step in range(steps):
        images, labels = make_batch(rank, step)
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()


def training_through_pass_is_the_same_bit_by_bit(rank, size):
    bare = make_model()
    train(DistributedDataParallel(bare, process_group=dist.new_group(backend="gloo"), bucket_cap_mb=0.01), rank)
    through = make_model()
    group, switch = switched_group()
    train(DistributedDataParallel(through, process_group=group, bucket_cap_mb=0.01), rank)
    for (name, one), other in zip(bare.state_dict().items(), through.state_dict().values()):
        assert torch.equal(one, other), name
    assert any(op == "allreduce" for op, *_ in switch.counters()), "training did not go through the switch"


def off_leaves_training_with_local_gradients(rank, size):
    local = make_model()
    images, labels = make_batch(rank, 0)
    torch.nn.functional.cross_entropy(local(images), labels).backward()
    apart = make_model()
    group, switch = switched_group()
    parallel = DistributedDataParallel(apart, process_group=group, bucket_cap_mb=0.01)
    switch.set_position("off")
    torch.nn.functional.cross_entropy(parallel(images), labels).backward()
    for one, other in zip(local.parameters(), apart.parameters()):
        # The reducer divides by the number of ranks before it sums.
        assert torch.allclose(one.grad, other.grad * size, rtol=1e-5, atol=1e-7)


def counters_count_bytes_and_seconds(rank, size):
    group, switch = switched_group()
    for _ in range(3):
        dist.all_reduce(torch.zeros(1000), group=group)
    dist.broadcast(torch.zeros(500, dtype=torch.float64), src=0, group=group)
    dist.all_gather_into_tensor(torch.zeros(size * 10), torch.zeros(10), group=group)
    rows = {(op, size_bytes): (count, total_s) for op, size_bytes, count, total_s in switch.counters()}
    assert set(rows) == {("allreduce", 4000), ("broadcast", 4000), ("allgather", size * 40)}, rows
    assert rows["allreduce", 4000][0] == 3 and rows["broadcast", 4000][0] == 1, rows
    assert all(0 < total_s < 10 for _, total_s in rows.values()), rows


def an_injected_link_takes_its_time_and_carries_the_result(rank, size):
    group, switch = switched_group()
    switch.set_link(40e6)
    tensor = torch.full((1_000_000,), float(rank + 1))
    dist.barrier(group=group)
    start = time.monotonic()
    dist.all_reduce(tensor, group=group)  # 4 MB, of which each of two ranks sends 2 x 1/2
    alone = time.monotonic() - start
    assert 0.1 <= alone < 1, alone
    assert torch.equal(tensor, torch.full_like(tensor, 3.0))
    start = time.monotonic()
    works = [dist.all_reduce(torch.zeros(1_000_000), group=group, async_op=True) for _ in range(2)]
    for work in works:
        work.wait()
    both = time.monotonic() - start
    assert both >= 0.2, f"two transfers at once took {both} s: the link is shared"
    assert torch.equal(recv_from_anyone(rank, size, group)[0], numbers(1)), "a sender is known over the link too"


def training_over_an_injected_link_is_the_same_bit_by_bit(rank, size):
    bare, through = make_model(), make_model()
    train(DistributedDataParallel(bare, process_group=dist.new_group(backend="gloo")), rank)
    group, switch = switched_group()
    switch.set_link(1e9)
    train(DistributedDataParallel(through, process_group=group), rank)
    for (name, one), other in zip(bare.state_dict().items(), through.state_dict().values()):
        assert torch.equal(one, other), name


def an_error_of_the_backend_reaches_the_caller(rank, size):
    group, _ = switched_group()
    try:
        dist.all_reduce(torch.zeros(2, 2).to_sparse().to(torch.complex64), group=group)
    except (RuntimeError, ValueError):
        return
    raise AssertionError("no error")


def a_position_that_is_none_is_refused(rank, size):
    _, switch = switched_group()
    try:
        switch.set_position("sideways")
    except RuntimeError as error:
        assert "sideways" in str(error) and "off" in str(error), error
        return
    raise AssertionError("no error")


def the_group_keeps_its_name_and_its_neighbours(rank, size):
    group, _ = switched_group()
    assert dist.get_backend(group) == "gloo"
    assert group._get_backend(torch.device("cpu")).name() == "gloo"
    assert dist.get_rank(group) == rank and dist.get_world_size(group) == size
    other = dist.new_group(backend="gloo")
    assert torch.equal(all_reduce(rank, size, other)[0], numbers(0) + numbers(1))


CASES = [
    pass_is_the_bare_backend_for_every_collective,
    off_returns_at_once_without_the_other_rank,
    off_hands_back_completed_work_whose_future_holds_the_tensors,
    training_through_pass_is_the_same_bit_by_bit,
    off_leaves_training_with_local_gradients,
    counters_count_bytes_and_seconds,
    an_injected_link_takes_its_time_and_carries_the_result,
    training_over_an_injected_link_is_the_same_bit_by_bit,
    an_error_of_the_backend_reaches_the_caller,
    a_position_that_is_none_is_refused,
    the_group_keeps_its_name_and_its_neighbours,
]

if __name__ == "__main__":
    run_as_rank(CASES)
