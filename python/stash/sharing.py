"""`stash run --share`: the DataLoaders of a script work with as many of their workers as the pool gives them."""

import atexit
import collections
import contextlib
import json
import os
import struct
import threading
import time
import weakref

from stash import batches, parking, shared_names
from stash.after_import import after_import
from stash.device_time import DeviceTime
from stash.pool import Member

BUSY = struct.Struct("dd")  # seconds that a worker was busy, and CPU time that it has used


class BusyFiles:
    """What loader workers tell of themselves: a small file for each, by process."""

    def __init__(self, folder):
        self.folder = folder
        self.pid = None
        self.file = None
        self.busy_s = 0.0

    def path(self, pid):
        return os.path.join(self.folder, f"{shared_names.BUSY_MARK}{pid}")

    def add(self, seconds):
        """In a worker."""
        if self.pid != os.getpid():
            self.pid = os.getpid()
            self.file = os.open(self.path(self.pid), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self.busy_s = 0.0
        self.busy_s += seconds
        os.pwrite(self.file, BUSY.pack(self.busy_s, time.process_time()), 0)

    def read(self, pid):
        """(busy, CPU) of a worker so far."""
        try:
            with open(self.path(pid), "rb") as file:
                return BUSY.unpack(file.read(BUSY.size))
        except (OSError, struct.error):
            return 0.0, 0.0  # it has made nothing yet

    def remove(self, pid):
        with contextlib.suppress(OSError):
            os.remove(self.path(pid))


class SharedRank(parking.Parking):
    """This process, once it loads with workers."""

    def __init__(self, folder, order):
        super().__init__(wanted=self.wanted_workers, note=self.tell)
        self.events = os.path.join(folder, f"{os.getpid()}{shared_names.EVENTS_SUFFIX}")
        self.seat = order.pool
        self.files = BusyFiles(folder)
        self.member = None
        self.iterators = weakref.WeakSet()
        self.workers = {}  # (busy, CPU) by process, of workers that may still add to it
        self.gone = (0.0, 0.0)  # of those that cannot
        self.samples = self.batches = 0
        self.skipped = collections.deque()  # sizes of batches that came while another thread counted
        self.waited_s = 0.0
        self.returned_s = None  # when the loop got its last batch
        self.device = DeviceTime()
        self.lock = threading.Lock()  # two loaders may be read by two threads
        self.started_s = None

    def write(self, event):
        with open(self.events, "a", encoding="utf-8") as file:
            file.write(json.dumps(event) + "\n")

    def tell(self, text):
        self.write({"event": shared_names.WARNING_EVENT,
                    **dict(zip(shared_names.WARNING_KEYS, (int(os.environ.get("RANK", 0)), text), strict=True))})

    def wanted_workers(self):
        return None if self.member is None else self.member.workers

    def adopt(self, iterator, loader):
        try:
            self.join(iterator, loader)
            super().adopt(iterator, loader)
        except Exception as error:  # whatever it is, the loader works as the script made it
            self.leave_alone(f"a DataLoader cannot be shared: {type(error).__name__}: {error}")

    def join(self, iterator, loader):
        if self.member is None and parking.why_left_alone(iterator, loader) is None:
            self.started_s = time.monotonic()
            self.member = Member(self.seat, iterator._num_workers, self.loaded)
            atexit.register(self.end)
        if self.member is not None and self.member.most is not None:
            self.most = self.member.most

    def loaded(self):
        living = {worker.pid for iterator in self.iterators for worker in iterator._workers}
        self.workers.update((pid, self.files.read(pid)) for pid in living)
        for pid in self.workers.keys() - living:
            self.gone = tuple(map(sum, zip(self.gone, self.files.read(pid), strict=True)))
            self.files.remove(pid)
            del self.workers[pid]
        busy, cpu = map(sum, zip(self.gone, *self.workers.values(), strict=True))
        return self.samples, self.batches, self.waited_s, busy, cpu + time.process_time()

    def next(self, iterator, read):
        """A batch of a loader whose workers can be parked."""
        start = time.perf_counter()
        batch = read()
        if self.lock.acquire(blocking=False):
            try:
                self.count(iterator, batch, start)
            except Exception as error:  # whatever it is, the training continues
                self.give_up(error)
            finally:
                self.lock.release()
        else:
            self.skipped.append(batches.size(batch) or 1)
        return batch

    def count(self, iterator, batch, asked_s):
        self.iterators.add(iterator)
        now_s = time.perf_counter()
        if self.returned_s is not None:
            self.device.end_step(max(asked_s - self.returned_s, 0.0), now_s - asked_s)
        self.waited_s += self.device.take_waited_s()
        sizes = [batches.size(batch) or 1] + [self.skipped.popleft() for _ in range(len(self.skipped))]
        self.batches += len(sizes)
        self.samples += sum(sizes)
        self.returned_s = now_s
        self.member.poll()
        self.device.begin_step()

    def give_up(self, error):
        self.member.close()
        self.member.refused = True
        with contextlib.suppress(OSError):
            self.tell(f"sharing ends, and the job continues with the workers that it has: {type(error).__name__}: {error}")

    def end(self):
        self.member.leave()
        self.write({"event": shared_names.TRAINED_EVENT, "trained": dict(zip(
            shared_names.TRAINED_KEYS,
            (self.samples, time.monotonic() - self.started_s, self.waited_s, self.member.workers or
             self.member.own_workers), strict=True))})

    def forked(self):
        """A child is a loader worker, or another helper of this process."""
        if self.member is not None:
            self.member.close()
            self.member.refused = True
            atexit.unregister(self.end)


def patch(module, rank):
    """Hooks into torch.utils.data.dataloader."""
    parking.patch(module, rank)
    base = module._BaseDataLoaderIter
    original_next = base.__next__
    fetcher = module._utils.fetch._MapDatasetFetcher
    original_fetch = fetcher.fetch

    def next_batch(self):
        if getattr(self, "_stash_parking", None) is None:
            return original_next(self)
        return rank.next(self, lambda: original_next(self))

    def fetch(self, index):
        start = time.perf_counter()
        samples = original_fetch(self, index)
        if module._utils.worker.get_worker_info() is not None:
            rank.files.add(time.perf_counter() - start)
        return samples

    base.__next__ = next_batch
    fetcher.fetch = fetch


def install(folder, order):
    rank = SharedRank(folder, order)
    os.register_at_fork(after_in_child=rank.forked)

    def found_torch(module):
        with open(os.path.join(folder, f"{shared_names.TORCH_MARK}{os.getpid()}"), "w", encoding="utf-8"):
            pass
        patch(module, rank)

    after_import({"torch.utils.data.dataloader": found_torch})
    return rank
