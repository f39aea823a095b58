"""What goes wrong while ranks run: the right rank is named, nothing is left behind, what was measured is kept."""

import json
import os
import signal
import subprocess
import time
import unittest

import program

program.require_program()

JOB = ("--device", "emulated:V100", "--model", "squeezenet1_0", "--batch", 8, "--precision", "0.01%")
QUICK = (*JOB, "--conditions", "apart,node")
ALONE = (*JOB, "--ranks", 1, "--conditions", "solo,node")  # where it does not matter how many ranks there are
ENDLESS = ("--max-time", "100s")
SHORT = ("--max-time", "2s")


class FaultCase(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)
        self.out = self.folder.path / "profile.json"

    def start(self, *arguments, rounds=2, **options):
        """A run that has measured whole rounds when this returns."""
        self.run_ = program.Run("profile", *QUICK, *ENDLESS, "--out", self.out, *arguments, **options)
        self.run_.wait_until(lambda: f"round {rounds + 1}:" in self.run_.terminal.text)
        return self.run_

    def finish(self, code, timeout=60):
        result = self.run_.finish(timeout)
        self.assertEqual(self.run_.survivors(), {}, "processes are left")
        self.assertEqual(result.code, code, result.err)
        self.assertNotIn("Traceback", result.err)
        self.assertNotIn("terminate called", result.err)
        return result

    def check_saved(self, stopped_by):
        """The windows so far are there, marked incomplete, and can be reported."""
        profile = json.loads(self.out.read_text())
        self.assertGreaterEqual(len(profile["windows"]), 4)
        self.assertFalse(profile["complete"])
        self.assertEqual(profile["stopped_by"], stopped_by)
        report = program.stash("report", self.out, "--format", "json")
        self.assertEqual(report.code, 0, report.err)
        self.assertEqual(report.json()["stopped_by"], stopped_by)
        self.assertGreaterEqual(report.json()["ledger"]["rounds"], 2)


class Ranks(FaultCase):
    def test_a_rank_that_is_killed_is_named_and_the_others_end(self):
        run = self.start()
        killed_at = time.monotonic()
        os.kill(run.ranks()[1], signal.SIGKILL)
        result = self.finish(1)
        self.assertLess(time.monotonic() - killed_at, 10)
        self.assertIn("rank 1 was ended by signal 9", result.err)
        self.assertIn("(incomplete)", result.err)
        self.check_saved("fault")

    def test_a_rank_that_crashes_is_named(self):
        run = self.start()
        os.kill(run.ranks()[0], signal.SIGSEGV)
        self.assertIn("rank 0 was ended by signal 11", self.finish(1).err)

    def test_a_rank_that_stops_is_named_after_the_time_out(self):
        run = self.start("--timeout", "20s")  # importing torch takes 8 s on a busy machine
        stopped_at = time.monotonic()
        os.kill(run.ranks()[1], signal.SIGSTOP)
        result = self.finish(1)
        self.assertGreater(time.monotonic() - stopped_at, 19.5)
        self.assertLess(time.monotonic() - stopped_at, 40)
        self.assertIn("rank 1 gave no sign of life for 20.0 s", result.err)
        self.assertIn("--timeout", result.err)
        self.check_saved("fault")

    def test_a_rank_that_fails_in_python_says_so_without_a_trace(self):
        result = self.run_with_python('raise OSError("the disk is on fire")')
        self.assertIn("rank 1: OSError: the disk is on fire", result.err)

    def test_a_rank_that_leaves_early_shows_its_last_output(self):
        result = self.run_with_python('print("I am tired"); import os; os._exit(7)')
        self.assertIn("rank 1 ended with exit code 7", result.err)
        self.assertIn("I am tired", result.err)

    def test_a_rank_that_says_nothing_understood_is_survived(self):
        self.run_with_python('import os; os.write(int(os.environ["STASH_EVENT_FD"]), b"\\xff{]" * 1000 + b"\\n")', code=0)
        profile = json.loads(self.out.read_text())
        self.assertTrue(any("rank 1" in warning for warning in profile["warnings"]), profile["warnings"])

    def run_with_python(self, statement, code=1):
        """Rank 1 executes a statement when it begins to carry out its order."""
        (self.folder.path / "sitecustomize.py").write_text(
            "import os\n"
            'if os.environ.get("RANK") == "1":\n'
            "    import stash.machine\n"
            "    def hooked(torch, original=stash.machine.machine_facts):\n"
            f"        {statement}\n"
            "        return original(torch)\n"
            "    stash.machine.machine_facts = hooked\n")
        path = f"{os.environ.get('PYTHONPATH', '')}:{self.folder.path}"
        self.run_ = program.Run("profile", *QUICK, "--out", self.out, *SHORT, PYTHONPATH=path)
        return self.finish(code)


class Signals(FaultCase):
    def test_an_interrupt_ends_the_ranks_and_keeps_what_was_measured(self):
        self.start().process.send_signal(signal.SIGINT)
        result = self.finish(130)
        self.check_saved("interrupted")
        self.assertIn("part ", result.out, "the ledger so far is shown")

    def test_an_interrupt_while_starting_leaves_nothing(self):
        self.run_ = program.Run("profile", *QUICK, *ENDLESS, "--out", self.out)
        self.run_.wait_until(lambda: len(self.run_.ranks()) == 2)
        self.run_.process.send_signal(signal.SIGINT)
        result = self.finish(130)
        self.assertFalse(self.out.exists())
        self.assertIn("no ledger", result.err)

    def test_the_other_way_to_interrupt_ends_a_rank_that_hangs(self):
        run = self.start()
        os.kill(run.ranks()[0], signal.SIGSTOP)
        run.process.send_signal(signal.SIGTERM)
        self.finish(130, timeout=20)
        self.check_saved("interrupted")

    def test_no_rank_outlives_a_program_that_is_killed(self):
        run = self.start()
        self.assertEqual(len(run.ranks()), 2)
        run.process.kill()
        run.finish(20)
        self.assertEqual(run.survivors(), {})


class Space(FaultCase):
    def measure(self, out):
        self.run_ = program.Run("profile", *ALONE, "--out", out, *SHORT)
        return self.run_

    def test_a_full_disk_is_told_and_the_report_is_not_lost(self):
        self.measure("/dev/full")
        result = self.finish(1)
        self.assertIn("/dev/full", result.err)
        self.assertIn("No space left", result.err)
        self.assertIn("part ", result.out)

    def test_a_disk_that_fills_up_keeps_the_profile_that_was_there(self):
        disk = self.folder.path / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", disk], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("only root may mount a small file system")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        (disk / "profile.json").write_text("an older one")
        self.measure(disk / "profile.json")
        self.assertIn("No space left", self.finish(1).err)
        self.assertEqual((disk / "profile.json").read_text(), "an older one")
        self.assertEqual([path.name for path in disk.iterdir()], ["profile.json"])

    def test_a_reader_that_goes_away_is_told_and_the_profile_is_kept(self):
        run = self.measure(self.out)
        run.process.stdout.close()
        run.process.stdout = open(os.devnull)
        result = run.finish(60)
        self.assertNotEqual(result.code, 0)
        self.assertGreater(len(json.loads(self.out.read_text())["windows"]), 0)

    def test_memory_that_runs_out_is_told_with_what_to_do(self):
        """The check before the start is passed; what is short is the address space of each process."""
        limit_kib = 2 << 20
        shell = 'ulimit -v "$0" && exec "$@"'
        self.run_ = program.Run("-c", shell, limit_kib, program.PROGRAM, "profile", "--device", "cpu", "--model", "vgg11",
                                "--image-size", 64, "--batch", 1, "--ranks", 1, "--conditions", "solo", "--out", self.out,
                                program="sh")
        result = self.finish(1)
        self.assertRegex(result.err, r"rank \d: .*memory")
        self.assertIn("--batch", result.err)


if __name__ == "__main__":
    unittest.main()
