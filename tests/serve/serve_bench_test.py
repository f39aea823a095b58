"""`stash serve bench`: delays that go in are found again in their part; the file, its reports."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["STASH_PROGRAM_FILE"]
SHORT = ["--for", "5s", "--window", "150ms"]


class Bench(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = pathlib.Path(self.folder.name) / "served.json"

    def run_it(self, *words):
        return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=100)

    def bench(self, *words):
        """The file: also that of a run that is rejected because this machine is busy."""
        ended = self.run_it("serve", "bench", "--out", str(self.file), *SHORT, *words)
        self.assertIn(ended.returncode, (0, 1), ended.stderr)
        found = json.loads(self.file.read_text())
        parts = sum(part["s"] for part in found["parts"].values() if part)
        self.assertAlmostEqual(parts, found["latency"]["mean_s"], places=9)
        return found

    def test_a_late_notice_is_found_in_notify(self):
        found = self.bench("--model", "sleep:4ms", "--rate", "100", "--inject", "notify=3ms")
        self.assertGreater(found["parts"]["notify"]["p50_s"], 0.003)
        self.assertLess(found["parts"]["notify"]["p50_s"], 0.0045)
        self.assertAlmostEqual(found["parts"]["compute"]["p50_s"], 0.004, places=6)

    def test_slow_gathering_is_found_in_gather(self):
        found = self.bench("--model", "sleep:4ms", "--rate", "100", "--input", "gather", "--inject", "gather=3ms")
        self.assertGreater(found["parts"]["gather"]["p50_s"], 0.003)
        self.assertLess(found["parts"]["gather"]["p50_s"], 0.0045)
        input_switch = next(one for one in found["primitives"] if one["name"] == "input")
        self.assertGreater(input_switch["saves_s"], 0.002)

    def test_a_long_queue_is_found_in_queue(self):
        found = self.bench("--model", "sleep:10ms", "--max-batch", "1", "--rate", "80")
        self.assertGreater(found["parts"]["queue"]["s"], found["parts"]["batch_wait"]["s"])
        self.assertGreater(found["parts"]["queue"]["s"], 0.004)

    def test_a_batch_that_waits_is_found_in_batch_wait(self):
        found = self.bench("--model", "sleep:1ms", "--rate", "50", "--batching", "fixed", "--batch-timeout", "8ms")
        self.assertGreater(found["parts"]["batch_wait"]["p50_s"], 0.006)
        batching = next(one for one in found["primitives"] if one["name"] == "batching")
        self.assertGreater(batching["saves_s"], 0.005)

    def test_what_needs_a_gpu_is_null(self):
        found = self.bench("--model", "resnet18", "--objective", "100ms", "--rate", "40")
        for name in ("copy_in", "launch", "copy_out", "gather"):
            self.assertIsNone(found["parts"][name])
        self.assertIsNone(next(one for one in found["primitives"] if one["name"] == "launch")["saves_s"])
        self.assertEqual(found["batches"][0]["batch"], 1)
        self.assertLessEqual(found["latency"]["p50_s"], found["latency"]["p99_s"])

    def test_the_file_becomes_reports(self):
        self.bench("--model", "sleep:2ms", "--rate", "50")
        text = self.run_it("report", str(self.file), "--usd-per-hour", "3")
        self.assertIn("  compute  ", text.stdout)
        self.assertIn("per million requests", text.stdout)
        page = self.run_it("report", str(self.file), "--format", "html").stdout
        self.assertIn("What each switch saves", page)
        again = self.run_it("report", str(self.file), "--format", "json").stdout
        self.assertEqual(json.loads(again), json.loads(self.file.read_text()))
        rows = self.run_it("report", str(self.file), "--format", "csv").stdout.splitlines()
        self.assertEqual(rows[0], "part,s,low_s,high_s,p50_s,p90_s,p99_s")
        self.assertEqual(self.run_it("report", str(self.file), "--format", "trace").returncode, 2)

    def test_two_files_are_compared_and_a_regression_is_found(self):
        before = self.bench("--model", "sleep:2ms", "--rate", "100")
        for part in filter(None, before["parts"].values()):
            part["low_s"], part["high_s"] = part["s"] * 0.99, part["s"] * 1.01
        self.file.write_text(json.dumps(before))
        after = pathlib.Path(self.folder.name) / "after.json"

        def write_after(**changed):
            slower = json.loads(json.dumps({**before, **changed}))
            for key in ("s", "low_s", "high_s"):
                slower["parts"]["notify"][key] += 0.05
            slower["latency"]["mean_s"] += 0.05
            after.write_text(json.dumps(slower))

        write_after()
        found = json.loads(self.run_it("diff", str(self.file), str(after), "--format", "json").stdout)
        changes = {part["name"]: part["change_s"] for part in found["parts"]}
        self.assertAlmostEqual(changes["notify"], 0.05, places=9)
        self.assertAlmostEqual(sum(changes.values()), found["latency"]["change_s"], places=9)
        self.assertEqual(self.run_it("diff", str(self.file), str(self.file), "--fail-over", "3%").returncode, 0)
        text = self.run_it("diff", str(self.file), str(after), "--fail-over", "3%")
        self.assertEqual(text.returncode, 1, text.stdout)
        self.assertIn("most of it: notify +50.0 ms", text.stdout)
        write_after(model="other")
        other = self.run_it("diff", str(self.file), str(after))
        self.assertEqual((other.returncode, "differ in model" in other.stderr), (2, True))
        self.assertEqual(self.run_it("diff", str(self.file), str(after), "--force").returncode, 0)

    def test_what_cannot_be_is_refused(self):
        for words, said in ((["--model", "a=sleep:1ms", "--model", "b=sleep:1ms"], "one model at a time: give one --model"),
                            (["--model", "sleep:1ms", "--for", "1ms"], "too short"),
                            (["--model", "sleep:1ms", "--inject", "gather=1ms"], "needs --input gather"),
                            (["--model", "sleep:1ms", "--inject", "fetch=1ms"], "--inject takes"),
                            (["--model", "sleep:1ms", "--window", "1ms"], "--window takes"),
                            (["--model", "sleep:1ms", "--rate", "0"], "--rate takes")):
            with self.subTest(words=words):
                ended = self.run_it("serve", "bench", *words)
                self.assertEqual(ended.returncode, 2, ended.stderr)
                self.assertIn(said, ended.stderr)


if __name__ == "__main__":
    unittest.main()
