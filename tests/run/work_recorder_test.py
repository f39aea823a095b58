"""What goes wrong while a script's steps are recorded costs the recording, not the script."""

import types
import unittest
from unittest import mock

try:
    import torch
except ImportError:
    print("there is no torch")
    raise SystemExit(77) from None

from stash.work import WorkRecorder


class NoBatches:
    last = None

    def batch(self):
        return None


class Recorder(unittest.TestCase):
    def check(self, error, *said):
        warnings = []
        recorder = WorkRecorder("/nonexistent", lambda: "/nonexistent/events")
        recorder.begin(torch, types.SimpleNamespace(warn=warnings.append), NoBatches(), [])
        with mock.patch.object(torch.profiler.profile, "step", side_effect=error):
            recorder.step_ended()
        recorder.step_ended()  # nothing more happens
        self.assertFalse(torch._C._autograd._profiler_enabled())
        self.assertEqual(len(warnings), 1, warnings)
        for text in said:
            self.assertIn(text, warnings[0])

    def test_memory_of_the_host(self):
        self.check(MemoryError(), "was not recorded: there was not enough memory to record it")

    def test_memory_of_the_gpu(self):
        self.check(torch.OutOfMemoryError("CUDA out of memory"), "the GPU had not enough memory", "smaller batch")

    def test_whatever_else(self):
        self.check(RuntimeError("kineto"), "torch's profiler failed: RuntimeError: kineto")


if __name__ == "__main__":
    unittest.main()
