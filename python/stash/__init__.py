"""Stash: what every kind of stall costs in a training step.

A script needs none of this. One that has neither a torch optimizer nor a DataLoader says itself where a step ends and
where its batches come from; without `stash run` or `stash watch` both do nothing:

    for batch in stash.wrap(batches):
        train(batch)
        stash.mark_step()
"""

_rank = None  # set when Stash is attached to this process


def mark_step():
    """A training step has ended. Optimizer steps are not counted any more."""
    if _rank is not None:
        _rank.mark_step()


def wrap(iterable):
    """The same batches, seen by Stash: under some conditions one of them is used again and again."""
    return iterable if _rank is None else _rank.feed.wrap(iterable)
