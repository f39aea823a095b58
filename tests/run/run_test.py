"""Somebody's own script, unedited: what is seen of it, and what becomes of it."""

import time
import unittest

import program
import script

program.require_program(extension=False)
QUICK = ("--max-time", "4s", "--precision", "50%")


class Run(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)
        self.files = script.data_folder(self.folder)

    def toy(self, ranks, *arguments, flags=QUICK, **options):
        return script.run(self, self.folder, *script.ranks(ranks), script.SCRIPTS / "toy.py", "--folder", self.files,
                          *arguments, flags=flags, **options)

    def test_one_process_has_input_parts_only(self):
        result, profile = self.toy(1)
        parts = script.report(self, self.folder)["ledger"]["parts"]
        self.assertIsNone(parts["interconnect"])
        self.assertIsNotNone(parts["prep"])
        self.assertIsNotNone(parts["fetch"])
        self.assertEqual(profile["job"]["ranks"], 1)
        self.assertEqual(profile["job"]["batch"], 8)
        self.assertEqual(profile["job"]["model"], "toy.py")
        self.assertEqual(result.out, "", "a script that is stopped early says no more")

    def test_two_ranks_have_all_parts_of_a_node(self):
        _, profile = self.toy(2)
        ledger = script.report(self, self.folder)["ledger"]
        for name in ("compute", "contention", "interconnect", "prep", "fetch"):
            self.assertIsNotNone(ledger["parts"][name], name)
        self.assertAlmostEqual(sum(part["s"] for part in ledger["parts"].values() if part), ledger["step"]["s"], places=9)
        self.assertEqual({window["condition"] for window in profile["windows"]}, {"solo", "apart", "node", "hot", "cold"})
        self.assertTrue(profile["complete"])

    def test_dicts_accumulation_and_workers(self):
        for arguments in (("--dict",), ("--accumulate", 3), ("--workers", 0), ("--workers", 2), ("--spawn",)):
            with self.subTest(arguments):
                _, profile = self.toy(1, *arguments)
                self.assertTrue(profile["complete"])
                cold = [window["resident_ratio"] for window in profile["windows"] if window["condition"] == "cold"]
                self.assertLess(max(cold[1:]), 0.5, "which files the samples are in is learned, whoever reads them")

    def test_workers_end_with_the_script(self):
        """torch waits five seconds for each worker that somebody keeps alive."""
        start = time.monotonic()
        self.toy(1, "--workers", 2, "--persistent", "--samples", 64)
        self.assertLess(time.monotonic() - start, 25)

    def test_ranks_that_train_apart_are_told(self):
        self.toy(2, "--no-group")
        self.assertIn("issued no collective", " ".join(script.report(self, self.folder)["warnings"]))

    def test_stdout_is_the_scripts(self):
        result, _ = self.toy(1, "--print-losses")
        self.assertTrue(all(line.startswith("loss ") for line in result.out.splitlines()), result.out[:500])

    def test_a_script_without_loader(self):
        tokens = self.folder.path / "tokens.bin"
        tokens.write_bytes(bytes(range(256)) * 512)
        script.run(self, self.folder, *script.ranks(2), script.SCRIPTS / "tokens.py", "--data", tokens, flags=QUICK)
        report = script.report(self, self.folder)
        self.assertIsNone(report["ledger"]["parts"]["prep"])
        self.assertIsNotNone(report["ledger"]["parts"]["interconnect"])
        self.assertIn("no DataLoader was seen", " ".join(report["warnings"]))

    def test_sharded_parameters(self):
        _, profile = script.run(self, self.folder, *script.ranks(2), script.SCRIPTS / "fsdp2.py", flags=QUICK)
        self.assertIn("allgather", {row["op"] for row in profile["collectives"]})
        self.assertTrue(profile["complete"])

    def test_parameters_sharded_the_older_way(self):
        _, profile = script.run(self, self.folder, *script.ranks(2), script.SCRIPTS / "fsdp1.py", flags=QUICK)
        self.assertIn("reduce_scatter", {row["op"] for row in profile["collectives"]})
        self.assertTrue(profile["complete"])

    def test_marks_in_place_of_optimizer_and_loader(self):
        _, profile = script.run(self, self.folder, script.PYTHON, script.SCRIPTS / "marked.py", flags=QUICK)
        self.assertIn("hot", {window["condition"] for window in profile["windows"]})

    def test_a_sitecustomize_of_the_users_is_run(self):
        own = self.folder.path / "own"
        own.mkdir()
        (own / "sitecustomize.py").write_text("import os; os.environ['SEEN'] = 'yes'\n")
        code = "import os; print(os.environ.get('SEEN'))"
        result, _ = script.run(self, self.folder, script.PYTHON, "-c", code, PYTHONPATH=own)
        self.assertEqual(result.out, "yes\n")


class KeepTraining(unittest.TestCase):
    """`--keep-training`: the loss curve is that of a run without Stash, from the first step after profiling on."""

    def losses(self, text):
        return [line.split()[2] for line in text.splitlines() if line.startswith("loss ")]

    def check(self, *arguments, ranks=1):
        folder = program.Folder()
        self.addCleanup(folder.close)
        files = script.data_folder(folder)
        command = [*script.ranks(ranks), script.SCRIPTS / "toy.py", "--folder", files, "--print-losses", "--dropout",
                   "0.1", "--samples", 2048 * ranks, *arguments]
        plain = program.Run(*command[1:], "--steps", 30, program=script.PYTHON, CUDA_VISIBLE_DEVICES="",
                            OMP_NUM_THREADS=1).finish()
        expected = self.losses(plain.out)
        kept, profile = script.run(self, folder, *command, "--steps", 4000,
                                   flags=(*QUICK, "--keep-training"))
        self.assertTrue(profile["complete"])
        seen = self.losses(kept.out)
        # The steps before profiling, then those that profiling used, then the curve goes on where it was left.
        start = next(i for i in range(len(seen)) if seen[i] != expected[i])
        self.assertGreaterEqual(start, 3)
        rest = expected[start:]
        found = any(seen[i:i + len(rest)] == rest for i in range(start, len(seen)))
        self.assertTrue(found, f"after step {start} the losses {rest[:3]} never come")

    def test_with_workers(self):
        self.check("--workers", 2)

    def test_without_workers(self):
        self.check("--workers", 0)

    def test_on_two_ranks(self):
        self.check("--workers", 1, ranks=2)


if __name__ == "__main__":
    unittest.main()
