"""The time for which neither a loop nor its accelerator had work, from events that are played."""

import unittest

from stash.device_time import DeviceTime


class Event:
    """At `ms` on the accelerator's clock; done or not."""

    def __init__(self, ms, done=True):
        self.ms = ms
        self.done = done

    def query(self):
        return self.done

    def elapsed_time(self, end):
        return end.ms - self.ms


def waited_of(events, steps):
    played = iter(events)
    device = DeviceTime(now=lambda: next(played))
    for free_s, waited_s in steps:
        device.begin_step()
        device.end_step(free_s, waited_s)
    return device


class DeviceTimeTest(unittest.TestCase):
    def test_without_an_accelerator_the_loop_waits_as_long_as_its_host(self):
        self.assertAlmostEqual(waited_of([None] * 4, [(0.01, 0.2), (0.01, 0.3)]).take_waited_s(), 0.5)

    def test_work_that_is_only_queued_counts_as_work(self):
        device = waited_of([Event(0), Event(80)], [(0.005, 0.1)])
        self.assertAlmostEqual(device.take_waited_s(), 0.1 - 0.075)
        self.assertEqual(device.take_waited_s(), 0, "each step counts once")

    def test_an_accelerator_that_is_never_idle_waits_for_nothing(self):
        self.assertEqual(waited_of([Event(0), Event(300)], [(0.005, 0.1)]).take_waited_s(), 0)

    def test_steps_that_are_not_done_are_counted_later(self):
        end = Event(50, done=False)
        device = waited_of([Event(0), end], [(0.01, 0.1)])
        self.assertEqual(device.take_waited_s(), 0)
        end.done = True
        self.assertAlmostEqual(device.take_waited_s(), 0.06)

    def test_an_accelerator_that_hangs_takes_no_memory(self):
        events = [Event(0, done=False) for _ in range(400)]
        device = waited_of(events, [(0.01, 0.1)] * 200)
        device.take_waited_s()
        self.assertLessEqual(len(device.pending), 64)


if __name__ == "__main__":
    unittest.main()
