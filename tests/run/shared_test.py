"""`stash run --share`: DataLoaders of real scripts in a pool. Their samples sleep, so that cores do not matter."""

import json
import os
import signal
import time
import unittest

import program
import script

program.require_program(extension=False)
try:
    import torch  # noqa: F401 - the scripts need it
except ImportError:
    raise SystemExit(program.SKIPPED) from None

PATIENCE_S = 60
LOADER = script.SCRIPTS / "shared_loader.py"


def end(run):
    if run.process.returncode is None:
        run.kill_all()
        run.finish()


class Shared(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)
        self.socket = self.folder.path / "pool.sock"

    def pool(self):
        run = program.Run("share", "pool", "--socket", self.socket, "--cores", 1, "--workers-per-core", 6, "--ignore-load",
                          "--report-every", "200ms")
        self.addCleanup(end, run)
        self.wait("the pool listens", self.state)
        return run

    def start(self, name, *arguments, command=LOADER, flags=(), ranks=1):
        run = program.Run("run", "--share", "--socket", self.socket, "--name", name, *flags, "--", *script.ranks(ranks),
                          command, *arguments, CUDA_VISIBLE_DEVICES="", OMP_NUM_THREADS=1)
        self.addCleanup(end, run)
        return run

    def state(self):
        answer = program.stash("share", "status", "--socket", self.socket, "--format", "json")
        return answer.json() if answer.code == 0 else None

    def jobs(self):
        return {job["name"]: job for job in (self.state() or {"jobs": []})["jobs"]}

    def wait(self, what, condition):
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            self.assertLess(time.monotonic(), deadline, f"{what}: {json.dumps(self.state())[:2000]}")
            time.sleep(0.1)

    def test_workers_go_where_they_bring_most_and_every_sample_comes_once(self):
        self.pool()
        self.start("fast", "--sample-ms", 1, "--step-ms", 40, "--epochs", 1000)
        slow = self.start("slow", "--sample-ms", 40, "--step-ms", 1, "--epochs", 4)
        self.wait("slow has most", lambda: self.jobs().get("slow", {}).get("workers", 0) >= 4)
        result = slow.finish()
        self.assertEqual(result.code, 0, result.err)
        self.assertIn("every sample once and in order", result.out)
        self.assertIn("samples in", result.err)
        self.wait("it has left", lambda: self.jobs()["slow"]["state"] == "left")
        self.wait("the other has all", lambda: self.jobs()["fast"]["workers"] == 6 or
                  self.jobs()["fast"]["waiting_ratio"] < 0.15)

    def test_a_script_outlives_its_pool(self):
        pool = self.pool()
        job = self.start("stays", "--sample-ms", 10, "--step-ms", 1, "--epochs", 6)
        self.wait("it shares", lambda: self.jobs().get("stays", {}).get("state") == "sharing")
        pool.process.send_signal(signal.SIGKILL)
        result = job.finish()
        self.assertEqual(result.code, 0, result.err)
        self.assertIn("every sample once and in order", result.out)

    def test_a_pool_that_hangs_delays_nothing(self):
        pool = self.pool()
        os.kill(pool.process.pid, signal.SIGSTOP)
        self.addCleanup(os.kill, pool.process.pid, signal.SIGCONT)
        result = self.start("alone", "--sample-ms", 1, "--step-ms", 1, "--epochs", 2).finish()
        self.assertEqual(result.code, 0, result.err)
        self.assertIn("every sample once and in order", result.out)
        self.assertIn("2 workers per rank", result.err)

    def test_without_a_pool_a_script_has_its_own_workers(self):
        result = self.start("alone", "--sample-ms", 1, "--step-ms", 1, "--epochs", 2).finish()
        self.assertEqual(result.code, 0, result.err)
        self.assertIn("2 workers per rank", result.err)

    def test_loaders_that_cannot_be_parked_are_left_alone_with_a_note(self):
        self.pool()
        for kind, note in (("none", "num_workers=0"), ("stream", "IterableDataset")):
            result = self.start(kind, "--kind", kind, "--sample-ms", 1, "--step-ms", 1, "--epochs", 1).finish()
            self.assertEqual(result.code, 0, result.err)
            self.assertIn(note, result.err)
        self.assertEqual(self.jobs(), {})

    def test_spawned_workers_tell_too(self):
        self.pool()
        job = self.start("spawns", "--kind", "spawn", "--sample-ms", 40, "--step-ms", 1, "--epochs", 30)
        self.wait("it shares", lambda: self.jobs().get("spawns", {}).get("state") == "sharing")
        self.assertIsNone(job.process.poll())

    def test_ranks_of_a_job_are_one_job(self):
        self.pool()
        job = self.start("toy", "--steps", 100_000, "--workers", 1, "--sample-ms", 5, "--batch", 4,
                         command=script.SCRIPTS / "toy.py", ranks=2)
        self.wait("both ranks", lambda: self.jobs().get("toy", {}).get("ranks") == 2)
        self.assertEqual(self.jobs()["toy"]["workers"], 6)
        self.assertIsNone(job.process.poll())

    def test_flags_that_would_do_nothing_are_refused(self):
        for flags, name in ((("--share", "--keep-training"), "--keep-training"), (("--socket", "x"), "--socket"),
                            (("--share", "--min-workers", "0"), "--min-workers"),
                            (("--share", "--min-workers", "3", "--max-workers", "2"), "--max-workers")):
            result = program.stash("run", *flags, "--", script.PYTHON, LOADER)
            self.assertEqual(result.code, 2, result.err)
            self.assertIn(name, result.err)


if __name__ == "__main__":
    unittest.main()
