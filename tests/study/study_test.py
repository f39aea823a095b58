"""A study from its measurements to its coefficients, stopped and gone on with."""

import pathlib
import signal
import tempfile
import unittest

import program

program.require_program()

MODELS = ("resnet10", "resnet12", "resnet14", "resnet16", "resnet18", "resnet20")
FLAGS = ("--models", ",".join(MODELS), "--held-out", "resnet10_nobn", "--device", "emulated:V100", "--image-size", "64",
         "--inject", "link=4Gbit/s", "--precision", "10%", "--max-time", "90s", "--local")


class Study(unittest.TestCase):
    def test_goes_on_where_it_was_stopped_and_runs_nothing_twice(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "profiles")
            command = ("study", "layers", *FLAGS, "--out", out)
            run = program.Run(*command)
            run.wait_until(lambda: len(list(out.glob("*.json"))) >= 2 and run.ranks())
            run.process.send_signal(signal.SIGINT)
            stopped = run.finish()
            self.assertEqual(stopped.code, 130, stopped.err[-500:])
            self.assertIn("the same command resumes", stopped.err)
            before = {path.name: path.stat().st_mtime_ns for path in out.glob("*.json")}
            self.assertLess(len(before), len(MODELS))

            result = program.stash(*command, "--format", "json", timeout=240)
            self.assertEqual(result.code, 0, result.err[-500:])
            after = {path.name: path.stat().st_mtime_ns for path in out.glob("*.json")}
            self.assertEqual(before, {name: after[name] for name in before})
            self.check(result.json())

            again = program.stash("study", "layers", "--held-out", "resnet10_nobn", "--from", out, "--format", "json")
            self.assertEqual(again.json()["fit"], result.json()["fit"])

            page = program.stash("study", "layers", "--from", out, "--out", out / "page.html", "--format", "html")
            self.assertEqual(page.code, 2, page.err[-500:])
            self.assertIn("standard output", page.err)

            other = program.stash(*command, "--batch", "16")
            self.assertEqual(other.code, 2, other.err[-500:])
            self.assertIn("other flags", other.err)

    def check(self, study):
        self.assertEqual({case["model"] for case in study["cases"] if not case["held_out"]}, set(MODELS))
        self.assertEqual([case["model"] for case in study["cases"] if case["held_out"]], ["resnet10_nobn"])
        self.assertEqual(study["failures"], [])
        # Between two ranks a link carries the gradients of one once: 2 ns per byte at 4 Gbit/s.
        self.assertAlmostEqual(study["fit"]["s_per_byte"]["value"] * 1e9, 2, delta=0.4)


if __name__ == "__main__":
    unittest.main()
