"""`stash share run`: the jobs of a file, started and shared among, and files that are at fault."""

import json
import os
import pathlib
import signal
import sys
import unittest

import program

program.require_program(extension=False)
try:
    import torch  # noqa: F401 - the scripts need it
except ImportError:
    raise SystemExit(program.SKIPPED) from None

LOADER = pathlib.Path(__file__).parents[1] / "run" / "scripts" / "shared_loader.py"
POOL = ("--workers-per-core", 6, "--ignore-load", "--report-every", "200ms")


def job(name, *arguments, extra=""):
    command = json.dumps([sys.executable, str(LOADER), *map(str, arguments)])
    return f'[[job]]\nname = "{name}"\ncommand = {command}\n{extra}\n'


class ShareRun(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)
        self.file = self.folder.path / "jobs.toml"
        self.logs = self.folder.path / "logs"

    def start(self, text, *flags):
        self.file.write_text(text)
        return program.Run("share", "run", self.file, "--socket", self.folder.path / "pool.sock", "--logs", self.logs, *POOL,
                           *flags, CUDA_VISIBLE_DEVICES="", OMP_NUM_THREADS=1)

    def test_jobs_are_started_when_they_arrive_and_share(self):
        run = self.start("cores = 1\n" + job("fast", "--sample-ms", 1, "--step-ms", 30, "--epochs", 12) +
                         job("slow", "--sample-ms", 30, "--step-ms", 1, "--epochs", 4, extra='arrives = "1s"'),
                         "--format", "json")
        result = run.finish()
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(run.survivors(), {})
        state = result.json()
        self.assertEqual([(one["name"], one["exit_code"]) for one in state["runs"]], [("fast", 0), ("slow", 0)])
        self.assertGreaterEqual(state["runs"][1]["started_s"], 1)
        self.assertGreater(state["makespan_s"], 1)
        self.assertEqual({one["name"]: one["state"] for one in state["jobs"]}, {"fast": "left", "slow": "left"})
        self.assertGreater(max(moment["workers"].get("slow", 0) for moment in state["moments"]), 3)
        for name in ("fast", "slow"):
            self.assertIn("every sample once and in order", (self.logs / f"{name}.log").read_text())

    def test_samples_of_a_script_tell_the_pool_how_much_it_has_to_do(self):
        result = self.start("cores = 1\n" + job("told", "--sample-ms", 2, "--step-ms", 10, "--epochs", 4, extra="samples = 960") +
                            job("silent", "--sample-ms", 2, "--step-ms", 10, "--epochs", 4), "--objective", "makespan",
                            "--format", "json").finish()
        self.assertEqual(result.code, 0, result.err)
        told, silent = sorted(result.json()["jobs"], key=lambda one: one["name"], reverse=True)
        self.assertGreater(told["samples"], 0)
        self.assertLess(told["samples_left"], 960)
        self.assertIsNone(silent["samples_left"])

    def test_no_more_run_at_a_time_than_there_are_gpus(self):
        result = self.start("cores = 1\ngpus = 1\n" + job("a", "--sample-ms", 1, "--step-ms", 1, "--epochs", 1) +
                            job("b", "--sample-ms", 1, "--step-ms", 1, "--epochs", 1), "--format", "json").finish()
        self.assertEqual(result.code, 0, result.err)
        first, second = result.json()["runs"]
        self.assertGreaterEqual(second["started_s"], first["ended_s"])

    def test_a_job_that_fails_is_told_and_the_others_end(self):
        text = ("cores = 1\n" + job("good", "--sample-ms", 1, "--step-ms", 1, "--epochs", 1) +
                job("bad", "--no-such-flag") + '[[job]]\nname = "none"\ncommand = ["no-such-program"]\n')
        result = self.start(text).finish()
        self.assertEqual(result.code, 1, result.err)
        self.assertIn("bad failed with exit code 2", result.err)
        self.assertIn("none failed", result.err)
        self.assertIn("good ended", result.err)
        self.assertIn("required: --sample-ms", (self.logs / "bad.log").read_text())

    def test_interrupted_it_ends_its_jobs(self):
        run = self.start("cores = 1\n" + job("long", "--sample-ms", 10, "--step-ms", 1, "--epochs", 1000))
        run.wait_until(lambda: len(run.processes()) >= 4)
        os.kill(run.process.pid, signal.SIGINT)
        result = run.finish()
        self.assertEqual(result.code, 130, result.err)
        self.assertEqual(run.survivors(), {})

    def expect_fault(self, text, *said):
        result = self.start(text).finish()
        self.assertEqual(result.code, 2, result.err)
        for part in said:
            self.assertIn(part, result.err)

    def test_a_fault_in_the_file_is_named_with_its_line_and_key(self):
        good = job("a", "--epochs", 1)
        self.expect_fault("[[job]]\nname = \"a\"\n", "line 1", "'command'", "missing")
        self.expect_fault(good + "min_worker = 2\n", "line 5", "'min_worker'", "'min_workers'")
        self.expect_fault("cores = 1\n" + job("a", extra="min_workers = 7"), "line 2", "'min_workers'", "6 workers")
        self.expect_fault("cores = 1\n" + job("a", extra="min_workers = 4") + job("b", extra="min_workers = 4"),
                          "at least 8 workers", "6 may work")
        self.expect_fault("cores = 4000\n" + good, "cores", "4000")
        self.expect_fault(job("a", extra='folder = "nowhere"'), "line 1", "'folder'", "nowhere")
        self.expect_fault('[[job]]\nname = "a"\ncommand = ["stash", "profile"]\n', "line 1", "'command'", "share train")
        self.expect_fault("[[job]\n", "line 1")
        train = '[[job]]\nname = "a"\ncommand = ["stash", "share", "train", "--samples", "5"'
        self.expect_fault(train + "]\nsamples = 10\n", "line 1", "'samples'", "keep one")
        self.expect_fault(train + ', "--name=b"]\n', "line 1", "'command'", "--name")


if __name__ == "__main__":
    unittest.main()
