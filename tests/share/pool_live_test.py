"""A pool with real jobs on an emulated accelerator: who joins, who gets what, and that nothing that becomes of the pool
stops a training."""

import json
import os
import pathlib
import signal
import sys
import tempfile
import time
import unittest

import program

program.require_program()

PATIENCE_S = 60
WORKERS = ("--cores", 1, "--workers-per-core", 6, "--ignore-load", "--report-every", "200ms")


def end(run):
    """Of a run that no test has waited for."""
    if run.process.returncode is None:
        run.kill_all()
        run.finish()


class Pool(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.data = tempfile.TemporaryDirectory()
        cls.tokens = pathlib.Path(cls.data.name) / "tokens"
        made = program.stash("dataset", "make", "--tokens", 20000, cls.tokens)
        assert made.code == 0, made.err

    @classmethod
    def tearDownClass(cls):
        cls.data.cleanup()

    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)
        self.socket = self.folder.path / "pool.sock"

    def pool(self, *arguments):
        run = program.Run("share", "pool", "--socket", self.socket, *WORKERS, *arguments)
        self.addCleanup(end, run)
        self.wait("the pool listens", self.state)
        return run

    def job(self, name, sample_ms, *arguments, **options):
        """Its workers sleep for each sample, so that cores do not matter."""
        run = program.Run("share", "train", "--socket", self.socket, "--name", name, "--python", sys.executable,
                          "--model", "gpt2", "--seq-len", 16, "--batch", 4, "--ranks", 1, "--device", "emulated:H200",
                          "--data", self.tokens, "--workers", 2, "--inject", f"prep={sample_ms}ms/sample", "--format",
                          "json", *arguments, **options)
        self.addCleanup(end, run)
        return run

    def state(self):
        answer = program.stash("share", "status", "--socket", self.socket, "--format", "json")
        return answer.json() if answer.code == 0 else None

    def jobs(self):
        return {job["name"]: job for job in (self.state() or {"jobs": []})["jobs"]}

    def wait(self, what, condition):
        end = time.monotonic() + PATIENCE_S
        while not condition():
            self.assertLess(time.monotonic(), end, f"{what}: {json.dumps(self.state())[:2000]}")
            time.sleep(0.1)

    def test_the_job_that_waits_gets_the_workers_of_the_one_that_does_not(self):
        self.pool()
        self.job("slow", 200, "--max-time", "300s")
        self.job("fast", 1, "--max-time", "300s")
        self.wait("slow has most", lambda: self.jobs().get("slow", {}).get("workers", 0) >= 5 and
                  self.jobs().get("fast", {}).get("workers") == 1)
        text = program.stash("share", "status", "--socket", self.socket).out
        self.assertIn("slow", text)
        self.assertIn("by need", text)
        page = program.stash("share", "status", "--socket", self.socket, "--format", "html").out
        self.assertIn("<svg", page)

    def test_a_killed_job_leaves_its_workers_to_the_others(self):
        self.pool()
        stays = self.job("stays", 200, "--max-time", "300s")
        dies = self.job("dies", 200, "--max-time", "300s")
        self.wait("both share", lambda: all(job["state"] == "sharing" for job in self.jobs().values()) and
                  len(self.jobs()) == 2)
        for pid in self.jobs()["dies"]["pids"]:
            os.kill(pid, signal.SIGKILL)
        self.wait("the other has more", lambda: self.jobs()["stays"]["workers"] >= 5)
        self.assertEqual(self.jobs()["dies"]["state"], "died")
        self.assertNotEqual(dies.finish().code, 0)
        self.assertIsNone(stays.process.poll())

    def test_a_job_outlives_its_pool_and_joins_the_next_one(self):
        first = self.pool()
        job = self.job("stays", 20, "--samples", 4000)
        self.wait("it shares", lambda: self.jobs().get("stays", {}).get("state") == "sharing")
        first.process.kill()
        first.finish()
        self.pool()
        self.wait("it is there again", lambda: self.jobs().get("stays", {}).get("workers") == 6)
        result = job.finish()
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(result.json()["samples"], 4000)
        self.wait("it has left", lambda: self.jobs()["stays"]["state"] == "left")

    def test_without_a_pool_a_job_trains_with_its_own_workers(self):
        result = self.job("alone", 1, "--samples", 40).finish()
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(result.json()["workers"], 2)
        self.assertEqual(result.json()["samples"], 40)

    def test_the_pool_reports_when_it_ends(self):
        report = self.folder.path / "pool.json"
        pool = self.pool("--format", "json", "--out", report)
        self.job("a", 5, "--samples", 400).finish()
        pool.process.send_signal(signal.SIGTERM)
        self.assertEqual(pool.finish().code, 0)
        state = json.loads(report.read_text())
        self.assertEqual([job["samples"] > 0 for job in state["jobs"]], [True])
        self.assertFalse(self.socket.exists())


if __name__ == "__main__":
    unittest.main()
