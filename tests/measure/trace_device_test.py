"""On an accelerator the host runs ahead: what the device did is in a list of its own, by the device's clock."""

import sys
import unittest

import program
import spans

program.require_program()

import torch  # noqa: E402

import ledger  # noqa: E402

if not torch.cuda.is_available():
    print("there is no GPU")
    sys.exit(program.SKIPPED)

RANKS = 2
BACKEND = "nccl" if torch.cuda.device_count() >= RANKS else "gloo"  # ranks that share a GPU cannot use NCCL


class DeviceTrace(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)

    def test_the_devices_stretches_fill_its_window(self):
        _, profile = ledger.profile(self, self.folder, "--device", "cuda", "--model", "resnet18", "--batch", 32, "--ranks",
                                    RANKS, "--backend", BACKEND, "--data", self.folder.images(256), "--precision", "50%",
                                    "--max-time", "20s")
        spans.check_traces(self, profile, slack_s=1e-4)
        spans.check_file(self, profile, self.folder.path / "profile.json")
        for trace in profile["traces"]:
            window = spans.window_of(profile, trace)
            for rank in trace["ranks"]:
                with self.subTest(condition=trace["condition"], rank=rank["rank"]):
                    self.check_device(trace["condition"], rank, window["steps"], window["ranks"][rank["rank"]]["wall_s"])

    def check_device(self, condition, rank, steps, wall_s):
        stretches = spans.of_kind(rank["device"], "copy", "forward", "backward", "optimizer")
        for kind in ("forward", "backward", "optimizer"):
            self.assertEqual(len(spans.of_kind(stretches, kind)), steps, kind)
        copied = len(spans.of_kind(stretches, "copy"))
        self.assertEqual(copied, steps if condition in ("staged", "hot", "cold") else 0)
        if condition in ("solo", "apart", "staged"):  # nothing to wait for: the device is busy all the time
            self.assertGreater(spans.sum_s(stretches), 0.9 * wall_s)
        collectives = condition not in spans.WITHOUT_COLLECTIVES
        self.assertEqual(bool(spans.of_kind(rank["device"], "collective")), collectives and BACKEND == "nccl")
        self.assertEqual(bool(spans.of_kind(rank["host"], "collective")), collectives and BACKEND == "gloo")


if __name__ == "__main__":
    unittest.main()
