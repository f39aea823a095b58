"""torch's DataLoader: which samples it reads, and when its workers are at rest."""

import collections
import itertools
import multiprocessing
import time
import weakref

from stash.kept import RandomState

LOOKED_AT = 2  # samples, to learn whether they are in files
TOUCH_S = 10   # at most, to learn which files the samples are in where workers cannot tell


class Again(list):
    """Indices that are read only to measure: random numbers that reading uses up are put back."""


class AgainOne(int):
    """The same for a loader without batches."""


def read_again(fetch, files):
    """Wraps a fetcher's `fetch`, in the rank and in its workers: while measuring it learns where samples are, and
    leaves random numbers alone."""

    def guarded(self, index):
        if not isinstance(index, (Again, AgainOne)):
            return fetch(self, index)
        import torch

        before = RandomState(torch, devices=False)
        try:
            with files.watching():
                return fetch(self, list(index) if isinstance(index, Again) else int(index))
        finally:
            before.restore()
            if torch.utils.data.get_worker_info() is not None:
                files.tell()

    return guarded


def read_stream(fetch, files):
    """Wraps the `fetch` of an iterable data set, which reads where it likes: learns which files those are."""

    def guarded(self, index):
        import torch

        with files.watching():
            batch = fetch(self, index)
        if torch.utils.data.get_worker_info() is not None:
            files.tell()
        return batch

    return guarded


class LoaderControl:
    """Of one training loop's iterator: feeds it the same indices again and again, and stops its workers in between."""

    def __init__(self, iterator, files):
        self.held = weakref.ref(iterator)  # its workers live as long as somebody holds it: that is up to the script
        self.dataset = iterator._dataset
        self.files = files
        self.pool = []        # index batches that the sampler gave and measuring uses
        self.position = None  # in the pool; None: no indices are given, workers come to rest
        self.drawn = 0        # of them, from this epoch: the script is still to have them
        self.touched = 0      # of the pool
        self.touch_s = TOUCH_S  # that are left
        self.turn = None      # of the workers' cycle when measuring began, where they can be parked
        self.early = collections.deque()  # batches that were under way when measuring began
        self.sent = 0         # index batches given while measuring
        self.begun = False
        self.indexed = iterator._dataset_kind == 0  # else samples come in an order of their own, each once
        iterator._stash_control = self

    @property
    def iterator(self):
        return self.held()

    @property
    def parking(self):
        return getattr(self.iterator, "_stash_parking", None)

    @property
    def most_ahead(self):
        iterator = self.iterator
        if iterator is None or not iterator._num_workers:
            return 0
        active = iterator._num_workers if self.parking is None else self.parking.active(iterator)
        return active * iterator._prefetch_factor

    @staticmethod
    def can_control(source):
        return type(source).__name__ in ("_SingleProcessDataLoaderIter", "_MultiProcessingDataLoaderIter")

    def follow(self, source):
        """The loop may have begun another epoch with a new iterator."""
        if source is not self.iterator and self.can_control(source) and source._dataset is self.dataset:
            self.held = weakref.ref(source)
            source._stash_control = self

    def workers_tell(self):
        """Whether workers are copies of this process, with its hooks."""
        if not self.iterator._num_workers:
            return True
        method = getattr(type(self.iterator._workers[0]), "_start_method", None)
        return (method or multiprocessing.get_start_method()) == "fork"

    def next_index(self, original):
        if not self.begun:
            return original()
        if self.position is None:
            raise StopIteration  # nothing more is given out: workers finish what they have
        if not self.indexed:
            self.sent += 1
            return original()
        index = self.pool[self.position % len(self.pool)]
        self.position += 1
        self.sent += 1
        return Again(index) if isinstance(index, (list, tuple)) else AgainOne(index)

    def quiet(self):
        """Returns when no worker has anything to do."""
        unused = not self.begun or not self.indexed  # by measuring alone: the script is still to have them
        self.begun, self.position = True, None
        iterator = self.iterator
        if unused and self.parking is not None:
            self.turn = iterator._worker_queue_idx_cycle.following
        while iterator is not None and iterator._num_workers and iterator._task_info:
            try:
                batch = iterator._next_data()
            except StopIteration:
                break
            if unused:
                self.early.append(batch)

    def took(self, batch, keep_training):
        """The script was given a batch while its input was measured."""
        if keep_training and not self.indexed:
            self.early.append(batch)

    def look(self):
        """Learns from the samples that come next whether they are in files."""
        if not self.indexed:
            self.files.hear()
            return
        ahead = list(itertools.islice(self.iterator._sampler_iter, 1))
        self.iterator._sampler_iter = itertools.chain(ahead, self.iterator._sampler_iter)
        for index in ahead:
            self.touch(index[:LOOKED_AT] if isinstance(index, list) else index)

    def prepare(self, count):
        """Has index batches for so many batches, and knows their files."""
        self.files.hear()
        if not self.indexed or self.iterator is None:
            return
        import torch

        while len(self.pool) < count:
            try:
                self.pool.append(next(self.iterator._sampler_iter))
                self.drawn = len(self.pool)
            except StopIteration:
                break
        if len(self.pool) < count:  # the epoch's end is near: what another one would begin with
            before = RandomState(torch)
            more = itertools.islice(iter(self.iterator._index_sampler), count - len(self.pool))
            self.pool.extend(more)
            before.restore()
        if self.workers_tell():
            return
        while self.touched < len(self.pool) and self.files.known() and self.touch_s > 0:
            start = time.monotonic()
            self.touch(self.pool[self.touched])
            self.touched += 1
            self.touch_s -= time.monotonic() - start

    def touch(self, index):
        """Reads samples here, to learn which files they are in and to have them in the page cache."""
        import torch

        before = RandomState(torch)
        with self.files.watching():
            for place in index if isinstance(index, (list, tuple)) else [index]:
                try:
                    self.iterator._dataset[place]
                except Exception:
                    break
        before.restore()

    def go(self):
        self.position = 0
        iterator = self.iterator
        for _ in range(self.most_ahead if iterator is not None else 0):
            iterator._try_put_index()

    def hand_back(self, keep_training):
        """After `quiet`: the loop continues as if nothing had been read."""
        iterator = self.iterator
        self.begun = False
        if not keep_training or iterator is None:
            self.early.clear()
            return
        iterator._sampler_iter = itertools.chain(self.pool[:self.drawn], iterator._sampler_iter)
        if iterator._num_workers:
            # The next indices go to the workers that would have had them.
            if self.turn is not None:
                iterator._worker_queue_idx_cycle.following = self.turn
            else:
                for _ in range(-self.sent % iterator._num_workers):
                    next(iterator._worker_queue_idx_cycle)
            for _ in range(max(0, self.most_ahead - len(self.early))):
                iterator._try_put_index()

    def early_batch(self, iterator):
        """A batch that was read before measuring began, if one is left; the workers get its successor to do."""
        batch = self.early.popleft()
        if iterator._num_workers and iterator._tasks_outstanding < self.most_ahead - len(self.early):
            iterator._try_put_index()
        return batch


def patch(module, rank):
    """Hooks into torch.utils.data.dataloader."""
    base = module._BaseDataLoaderIter
    original_next, original_index = base.__next__, base._next_index

    def next_batch(self):
        control = getattr(self, "_stash_control", None)
        if control is not None and not control.begun and control.early:
            return control.early_batch(self)
        if rank.over or rank.feed.function is not None:
            return original_next(self)
        return rank.feed.next(self, lambda: original_next(self))

    def next_index(self):
        control = getattr(self, "_stash_control", None)
        return original_index(self) if control is None else control.next_index(lambda: original_index(self))

    base.__next__ = next_batch
    base._next_index = next_index
    fetch = module._utils.fetch._MapDatasetFetcher
    fetch.fetch = read_again(fetch.fetch, rank.feed.files)
    fetch = module._utils.fetch._IterableDatasetFetcher
    fetch.fetch = read_stream(fetch.fetch, rank.feed.files)
