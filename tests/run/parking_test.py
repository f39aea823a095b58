"""Workers of a real DataLoader are parked and woken: which samples come, in which order, and who made them."""

import inspect
import os
import sys
import unittest

try:
    import torch
except ImportError:
    sys.exit(77)

import torch.utils.data.dataloader as dataloader
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info

from stash import parking

MOST = 6
notes = []
control = parking.Parking(most=MOST, note=notes.append)
parking.patch(dataloader, control)


class Numbers(Dataset):
    """Sample n is n and the number of the worker that made it."""

    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size

    def __getitems__(self, indices):
        worker = get_worker_info().id
        return [(index, worker) for index in indices]

    def __getitem__(self, index):
        return self.__getitems__([index])[0]


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(8))


def as_tensors(samples):
    return torch.tensor(samples)


def loader(size, batch, workers=2, **options):
    return DataLoader(Numbers(size), batch_size=batch, num_workers=workers, collate_fn=as_tensors,
                      multiprocessing_context="fork", **options)


class ParkingTest(unittest.TestCase):
    def setUp(self):
        control.set_active_workers(None)
        control.noted.clear()
        notes.clear()

    def test_a_million_samples_come_once_and_in_order(self):
        expected = 0
        for number, batch in enumerate(loader(1_000_000, 2000)):
            control.set_active_workers(1 + number * 5 % MOST)
            self.assertTrue(torch.equal(batch[:, 0], torch.arange(expected, expected + 2000)))
            expected += 2000
        self.assertEqual(expected, 1_000_000)

    def test_shuffled_epochs_are_the_same_with_any_number_of_workers(self):
        def samples(resize):
            torch.manual_seed(3)
            source, seen = loader(64, 4, shuffle=True), []
            for _ in range(2):
                for number, batch in enumerate(source):
                    if resize:
                        control.set_active_workers(1 + number % MOST)
                    seen += batch[:, 0].tolist()
            return seen

        self.assertEqual(samples(True), samples(False))

    def test_without_a_wish_as_many_work_as_the_script_asked_for(self):
        workers = {worker for batch in loader(200, 4) for worker in batch[:, 1].tolist()}
        self.assertEqual(workers, {0, 1})

    def test_a_wish_takes_effect_with_the_next_batch_that_is_given_out(self):
        control.set_active_workers(MOST)
        ahead = MOST * 2
        made = []
        for number, batch in enumerate(loader(400, 4)):
            if number == 20:
                control.set_active_workers(1)
            made.append(int(batch[0, 1]))
        self.assertEqual(set(made[:21 + ahead]), set(range(MOST)))
        self.assertEqual(set(made[21 + ahead:]), {0})

    def test_woken_workers_get_batches_at_once(self):
        control.set_active_workers(1)
        made = []
        for number, batch in enumerate(loader(400, 4)):
            if number == 20:
                control.set_active_workers(MOST)
            made.append(int(batch[0, 1]))
        self.assertEqual(set(made[:22]), {0})
        self.assertEqual(set(made[22:22 + 2 * MOST]), set(range(MOST)))

    def test_no_more_is_ahead_than_the_active_workers_may_have(self):
        control.set_active_workers(1)
        iterator = iter(loader(400, 4, prefetch_factor=3))
        for _ in range(5):
            next(iterator)
            self.assertLessEqual(iterator._send_idx - iterator._rcvd_idx, 3)

    def test_a_new_epoch_keeps_the_allocation(self):
        for persistent in (False, True):
            control.set_active_workers(3)
            source = loader(48, 4, persistent_workers=persistent)
            for _ in range(3):
                self.assertEqual({worker for batch in source for worker in batch[:, 1].tolist()}, {0, 1, 2})

    def test_parked_workers_use_no_cpu(self):
        control.set_active_workers(1)
        iterator = iter(loader(40_000, 4))
        next(iterator)
        pids = [worker.pid for worker in iterator._workers]
        before = [cpu_ticks(pid) for pid in pids]
        for _ in range(2000):
            next(iterator)
        active, *parked = [cpu_ticks(pid) - ticks for pid, ticks in zip(pids, before)]
        self.assertGreater(active, 10)
        self.assertLessEqual(max(parked), 1, "a tick is 10 ms; waiting workers look for their parent every 5 s")

    def test_parked_workers_take_little_memory(self):
        control.set_active_workers(1)
        iterator = iter(loader(4000, 4))
        for _ in range(100):
            next(iterator)
        _, *parked = [private_bytes(worker.pid) for worker in iterator._workers]
        self.assertLess(max(parked), 64e6, "of their own; the rest is shared with the training process")

    def test_a_loader_out_of_order_is_left_alone(self):
        if "in_order" not in inspect.signature(DataLoader).parameters:
            self.skipTest("this torch has no in_order")
        batches = list(loader(64, 4, in_order=False))
        self.assertEqual(sorted(number for batch in batches for number in batch[:, 0].tolist()), list(range(64)))
        self.assertIn("in_order=False", notes[0])

    def test_a_loader_without_workers_is_left_alone(self):
        self.assertEqual(len(list(DataLoader(range(8), batch_size=4))), 2)
        self.assertEqual(len(notes), 1)
        self.assertIn("num_workers=0", notes[0])

    def test_a_stream_is_left_alone(self):
        batches = list(DataLoader(Stream(), batch_size=4, num_workers=2, multiprocessing_context="fork"))
        self.assertEqual(len(batches), 4)
        self.assertIn("IterableDataset", notes[0])

    def test_an_unknown_iterator_is_left_alone(self):
        class OwnIterator(dataloader._MultiProcessingDataLoaderIter):
            pass

        class OwnLoader(DataLoader):
            def _get_iterator(self):
                return OwnIterator(self)

        for _ in range(2):
            source = OwnLoader(Numbers(16), batch_size=4, num_workers=2, collate_fn=as_tensors,
                               multiprocessing_context="fork")
            self.assertEqual([batch[0, 0].item() for batch in source], [0, 4, 8, 12])
        self.assertEqual(notes, ["a DataLoader's iterator is a OwnIterator: its workers cannot be parked"])


def private_bytes(pid):
    with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as file:
        return sum(1024 * int(line.split()[1]) for line in file if line.startswith("Private_"))


def cpu_ticks(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    unittest.main()
