"""Somebody's own script, unedited: what is seen of it, and what becomes of it."""

import unittest

import program
import script

program.require_program(extension=False)
QUICK = script.QUICK


class Run(script.ToyCase):
    def test_one_process_has_input_parts_only_and_its_own_stdout(self):
        result, profile = self.toy(1, "--workers", 0, "--print-losses")
        parts = script.report(self, self.folder)["ledger"]["parts"]
        self.assertIsNone(parts["interconnect"])
        self.assertIsNotNone(parts["prep"])
        self.assertIsNotNone(parts["fetch"])
        self.assertTrue(profile["complete"])
        self.assertEqual(profile["job"]["ranks"], 1)
        self.assertEqual(profile["job"]["batch"], 8)
        self.assertIsNone(profile["job"]["model"], "a script is no model")
        self.assertIsNone(profile["job"]["backend"], "there is no process group")
        self.assertEqual(profile["job"]["dtype"], "fp32")
        self.assertIn("torch", profile["machine"]["versions"])
        self.assertIn("toy.py, batch 8", result.err)
        self.assertIn("1 rank on cpu (fp32)", result.err)
        self.check_files_are_learned(profile)
        # A script that is stopped early says no more.
        self.assertTrue(all(line.startswith("loss ") for line in result.out.splitlines()), result.out[:500])

    def test_dicts_accumulation_workers_and_autocast_on_two_ranks(self):
        _, profile = self.toy(2, "--dict", "--accumulate", 3, "--workers", 2, "--bf16")
        self.assertTrue(profile["complete"])
        self.check_files_are_learned(profile)
        self.assertEqual((profile["job"]["backend"], profile["job"]["dtype"]), ("gloo", "bf16"), "autocast is no fp32")

    def test_what_all_ranks_warn_of_is_said_once(self):
        self.toy(2, "--no-group")
        warnings = script.report(self, self.folder)["warnings"]
        self.assertEqual(sum("issued no collective" in warning for warning in warnings), 1, warnings)

    def test_a_script_without_loader(self):
        tokens = self.folder.path / "tokens.bin"
        tokens.write_bytes(bytes(range(256)) * 512)
        script.run(self, self.folder, *script.ranks(2), script.SCRIPTS / "tokens.py", "--data", tokens, flags=QUICK)
        report = script.report(self, self.folder)
        self.assertIsNone(report["ledger"]["parts"]["prep"])
        self.assertIsNotNone(report["ledger"]["parts"]["interconnect"])
        self.assertEqual(sum("no DataLoader was seen" in text for text in report["warnings"]), 1, report["warnings"])

    def test_sharded_parameters(self):
        _, profile = script.run(self, self.folder, *script.ranks(2), script.SCRIPTS / "fsdp2.py", flags=QUICK)
        self.assertIn("allgather", {row["op"] for row in profile["collectives"]})
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


if __name__ == "__main__":
    unittest.main()
