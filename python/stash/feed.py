"""Where a script's batches come from: its loader, or one batch that is used again."""

import time
import weakref

from stash import batches
from stash.loader import LoaderControl

REAL, AGAIN = "real", "again"


class Feed:
    """What the training loop reads. Every iterator of torch's DataLoader passes through `next`, and what a script
    marks with `stash.wrap`."""

    def __init__(self, files):
        self.session = None     # until the first step has ended
        self.keep_training = False
        self.mode = REAL
        self.last = None        # the newest batch that was really read, until one was chosen to be used again
        self.chosen = False
        self.again = None       # what is given in its place
        self.source = None      # a weak reference to the iterator of the training loop
        self.calls = 0          # since the last step
        self.per_step = 0       # batches of a step; 0: the loop reads none that Stash sees
        self.control = None     # of torch's loader, where it is one
        self.function = None    # that returns the batches, in place of a loader
        self.copies_to = None   # a device: what is given in place of a batch is copied there each time
        self.treat = None       # what else is done to each batch that is read
        self.files = files

    def next(self, source, read):
        """A batch for the script, from `read` or used again."""
        self.calls += 1
        if self.session is None:
            self.source = weakref.ref(source)
        if self.mode is AGAIN:
            return self.used_again()
        if self.control is not None:
            self.control.follow(source)
        if self.session is not None:
            self.session.wait_begins()
        start = time.perf_counter_ns()
        batch = read()
        if self.treat is not None:
            batch = self.treat(batch)
        if self.session is not None:
            self.session.add_wait_ns(time.perf_counter_ns() - start)
        if self.control is not None:
            self.control.took(batch, self.keep_training)
        if not self.chosen:
            self.last = batches.fresh(batch)  # the script may take things out of what it is given
        return batch

    def call(self, read):
        """A batch from the function that returns them: what it reads is learned, wherever it reads it."""
        if self.mode is AGAIN:
            return self.next(self.function, read)
        with self.files.watching():
            return self.next(self.function, read)

    def used_again(self):
        if self.copies_to is None:
            return batches.fresh(self.again)
        return batches.mapped(self.again, lambda part: part.to(self.copies_to, non_blocking=True))

    def step_ended(self):
        if self.calls:
            self.per_step = self.calls
        self.calls = 0

    def wrap(self, iterable):
        return Wrapped(self, iterable)

    def batch(self):
        """Samples of a batch; None: unknown."""
        return batches.size(self.last) if self.per_step else None

    def begin(self, session, keep_training):
        """The training loop's iterator is known: takes charge of it."""
        self.session = session
        self.keep_training = keep_training
        source = self.source() if self.per_step else None
        if LoaderControl.can_control(source):
            self.control = LoaderControl(source, self.files)

    def reads_files(self):
        """Whether files of the data are known, after a look at the samples that come next."""
        if self.per_step and self.control is not None:
            self.control.look()
        return self.files.known()

    def workers(self):
        source = self.source() if self.source is not None else None
        return getattr(source, "_stash_own_workers", getattr(source, "_num_workers", 0))

    def ahead(self):
        """Steps whose batches may be ready before they are used; one more, since some loops look one ahead."""
        waiting = self.control.most_ahead if self.control is not None else 0
        return -(-waiting // max(self.per_step, 1)) + 1

    def use(self, reads_input, copies, cold, steps, device):
        """From now on the loader's batches, or one that is used again, from host memory where it `copies`; the share of
        the data's pages that is cached, where that is known."""
        if not self.per_step:
            return None
        self.chosen = True
        if self.control is not None:
            self.control.quiet()
        if not reads_input:
            self.mode = AGAIN
            # A function may have copied its batch itself; what it is given must be where the script expects it.
            copied = self.function is not None and batches.is_on_device(self.last)
            self.copies_to = device if copies and copied else None
            self.again = batches.pinned(self.last) if copies else batches.on_device(self.last, device)
            return None
        self.mode = REAL
        self.again = None
        if self.control is not None:
            self.control.prepare((steps + self.ahead()) * self.per_step)
        cached = self.files.evict() if cold else self.files.load()
        if self.control is not None:
            self.control.go()
        return cached

    def release(self):
        """Measuring is over: the loop reads what it would have read."""
        self.mode = REAL
        self.again = self.last = self.copies_to = None
        if self.control is not None:
            self.control.quiet()
            self.control.hand_back(self.keep_training)
            self.control = None
        self.session = None


class WatchedFeed(Feed):
    """What `stash watch` has in its place: batches are counted, and nothing else is done to them."""

    def next(self, source, read):
        if self.session is None:
            return read()
        start = time.perf_counter_ns()
        batch = read()
        self.add_wait_ns(time.perf_counter_ns() - start)
        return batch

    def watch(self, session):
        self.session = session
        self.add_wait_ns = session.add_wait_ns


class Wrapped:
    def __init__(self, feed, iterable):
        self.feed = feed
        self.iterable = iterable
        self.iterator = None

    def __iter__(self):
        self.iterator = iter(self.iterable)
        return self

    def __len__(self):
        return len(self.iterable)

    def __next__(self):
        if self.iterator is None:
            self.iterator = iter(self.iterable)
        return self.feed.next(self, lambda: next(self.iterator))
