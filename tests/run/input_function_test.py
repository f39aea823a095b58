"""How the function that returns batches is found and judged, in this process."""

import contextlib
import itertools
import types
import unittest

try:
    import torch
except ImportError:
    print("there is no torch")
    raise SystemExit(77) from None

from stash.call_watch import CallWatch, no_loader_text
from stash.feed import Feed
from stash.input_function import WATCHED, InputFunction

numbers = itertools.count()


def get_batch(count=4):
    return torch.full((count, 3), next(numbers)), torch.zeros(count, dtype=torch.int64)


def get_batches():
    yield get_batch()


def get_rate(step):
    return 1 / step


class Loader:
    sizes = itertools.count(1)

    def next_batch(self):
        return get_batch()

    def ragged(self):
        return get_batch(next(self.sizes))

    def same_name(self):
        return get_batch()


class OtherLoader:
    @staticmethod
    def next_batch():
        return get_batch()


class NoFiles:
    watching = contextlib.nullcontext

    def known(self):
        return False


class InputFunctionTest(unittest.TestCase):
    def watch(self, name, step):
        """The function after the steps in which it is watched, and what is said against it."""
        function = InputFunction(name, Feed(NoFiles()))
        self.addCleanup(function.put_back)
        for _ in range(WATCHED + 1):
            step()
            function.feed.step_ended()
            ready = function.step_ended()
        self.assertTrue(ready)
        return function, function.why_not

    def test_it_is_seen_wherever_it_is_called_from(self):
        alias = get_batch
        function, why_not = self.watch("get_batch", alias)
        self.assertIsNone(why_not)
        self.assertEqual((function.feed.per_step, function.feed.batch()), (1, 4))

    def test_its_arguments_and_defaults_stay(self):
        _, why_not = self.watch("get_batch", lambda: get_batch(count=7))
        self.assertIsNone(why_not)
        self.assertEqual((len(get_batch()[0]), len(get_batch(2)[0])), (4, 2))

    def test_a_batch_is_used_again_until_it_is_not(self):
        function, _ = self.watch("get_batch", get_batch)
        feed = function.feed
        feed.begin(types.SimpleNamespace(wait_begins=lambda: None, add_wait_ns=lambda ns: None), False)
        feed.use(reads_input=False, copies=False, cold=False, steps=3, device=torch.device("cpu"))
        first, second = get_batch(), get_batch()
        self.assertIs(first[0], second[0])
        feed.release()
        self.assertNotEqual(get_batch()[0][0, 0], get_batch()[0][0, 0])
        function.put_back()
        self.assertNotIn("input_function", get_batch.__code__.co_names)
        self.assertEqual(len(get_batch()), 2)

    def test_a_method_and_a_function_of_a_function(self):
        width = 3

        def inner():
            return torch.zeros(5, width)

        loader = Loader()
        self.assertIsNone(self.watch("Loader.next_batch", loader.next_batch)[1])
        self.assertIsNone(self.watch("OtherLoader.next_batch", OtherLoader.next_batch)[1])
        function, why_not = self.watch("inner", inner)
        self.assertIsNone(why_not)
        self.assertEqual(function.feed.batch(), 5)

    def test_a_module_narrows_it(self):
        self.assertIsNone(self.watch(f"{__name__}:get_batch", get_batch)[1])
        self.assertIn("has no function of this name", self.watch("data:get_batch", get_batch)[1])

    def test_the_nearest_names(self):
        why_not = self.watch("get_bach", get_batch)[1]
        self.assertIn("the script has no function of this name; the nearest are get_batch, ", why_not)
        self.assertIn("no function", self.watch("next_batch", get_batch)[1], "a method has its class before it")

    def test_never_called(self):
        self.assertIn("was not called in the 2 steps", self.watch("get_batch", lambda: None)[1])

    def test_not_in_every_step(self):
        steps = iter((1, 1, 3))
        why_not = self.watch("get_batch", lambda: [get_batch() for _ in range(next(steps))])[1]
        self.assertIn("it was called once and then 3 times in the steps", why_not)

    def test_twice_per_step_for_different_things(self):
        why_not = self.watch("get_batch", lambda: (get_batch(4), get_batch(2)))[1]
        self.assertIn("it is called twice per step for different things, (4 x 3 int64, 4 int64) and (2 x 3 int64, 2 int64)",
                      why_not)

    def test_twice_per_step_for_the_same_is_two_passes(self):
        function, why_not = self.watch("get_batch", lambda: (get_batch(), get_batch()))
        self.assertIsNone(why_not)
        self.assertEqual(function.feed.per_step, 2)

    def test_something_different_each_time(self):
        loader = Loader()
        self.assertIn("it returns something different each time", self.watch("Loader.ragged", loader.ragged)[1])

    def test_no_batch(self):
        self.assertIn("it returns float, in which no tensor is", self.watch("get_rate", lambda: get_rate(2))[1])
        self.assertIn("it is a generator", self.watch("get_batches", lambda: next(get_batches()))[1])


class CallWatchTest(unittest.TestCase):
    def setUp(self):
        self.model = torch.nn.Sequential(torch.nn.Linear(3, 2))

    def watch(self, *steps):
        watch = CallWatch(torch)
        watch.begin()
        for step in steps:
            step()
            watch.step_ended()
        watch.stop()
        return watch.found()

    def test_a_result_that_goes_into_the_model(self):
        def make():
            return torch.zeros(4, 3)

        def step():
            get_rate(3)
            self.model(make())

        self.assertEqual(self.watch(step, step), ([f"{__name__}:make" if __name__ != "__main__" else "make"], []))

    def test_a_batch_made_while_the_one_before_is_computed(self):
        ready = []

        def make():
            return {"x": torch.zeros(4, 3)}

        def step():
            if ready:
                self.model(ready.pop()["x"])
            ready.append(make())

        functions, _ = self.watch(step, step)
        self.assertEqual([name.rsplit(":")[-1] for name in functions], ["make"])

    def test_what_does_not_go_into_the_model_or_too_often_is_not_named(self):
        def part():
            return torch.zeros(2, 3)

        def step():
            get_rate(3)
            self.model(torch.cat([part(), part()]))

        self.assertEqual(self.watch(step, step), ([], []))

    def test_what_the_model_returns_is_no_batch(self):
        def forward_step():
            return self.model(torch.zeros(4, 3))

        def step():
            torch.nn.Softmax(dim=1)(forward_step())

        self.assertEqual(self.watch(step, step), ([], []))

    def test_how_many_samples_the_model_is_given(self):
        watch = CallWatch(torch)
        watch.begin()
        self.model(torch.zeros(4, 3))
        watch.stop()
        self.assertEqual(watch.batch, 4)

    def test_what_is_said(self):
        self.assertIn("--input get_batch", no_loader_text(["get_batch"], []))
        self.assertIn("stash.wrap(batches(…))", no_loader_text([], ["batches"]))
        self.assertIn("stash.wrap(iterator)", no_loader_text([], []))


if __name__ == "__main__":
    unittest.main()
