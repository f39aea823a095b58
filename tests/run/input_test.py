"""`stash run --input`: the batches of a script that has no loader."""

import unittest

import program
import script

program.require_program(extension=False)
NANOGPT = script.SCRIPTS / "nanogpt.py"


class Input(script.KeepTrainingCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)
        self.tokens = self.folder.path / "tokens.bin"
        self.tokens.write_bytes(bytes(range(256)) * 8192)

    def run_it(self, *arguments, ranks=1, source=NANOGPT, flags=(), **options):
        result, profile = script.run(self, self.folder, *script.ranks(ranks), source, "--data", self.tokens, *arguments,
                                     flags=(*script.QUICK, *flags), **options)
        return result, profile, script.report(self, self.folder)

    def test_a_function_that_returns_batches_is_measured_like_a_loader(self):
        _, profile, report = self.run_it("--batch-ms", 20, flags=("--input", "get_batch"))
        parts = report["ledger"]["parts"]
        self.assertGreater(parts["prep"]["s"], 0.015, parts)
        self.assertIsNotNone(parts["fetch"], "the file that it maps is found")
        self.assertEqual((profile["job"]["batch"], profile["work"]["batch"]), (8, 8))
        self.assertEqual(profile["script"]["input"], "get_batch")
        cold = [window["resident_ratio"] for window in profile["windows"] if window["condition"] == "cold"]
        self.assertLess(max(cold), 0.9)
        self.assertFalse([text for text in report["warnings"] if "input" in text.lower()], report["warnings"])

    def test_a_function_inside_another_that_two_ranks_call_twice_per_step(self):
        _, profile, report = self.run_it(ranks=2, source=script.SCRIPTS / "tokens.py", flags=("--input", "get_batch"))
        self.assertIsNotNone(report["ledger"]["parts"]["prep"])
        self.assertEqual((profile["job"]["batch"], profile["work"]["passes"]), (8, 2))

    def test_without_it_the_warning_names_the_function(self):
        _, _, report = self.run_it("--passes", 2)
        [warning] = [text for text in report["warnings"] if "no DataLoader was seen" in text]
        self.assertIn("get_batch is called once per pass and the result goes into the model", warning)
        self.assertIn("--input get_batch", warning)
        self.assertIsNone(report["ledger"]["parts"]["prep"])

    def test_a_function_that_is_not_there_costs_the_ledger_its_input_only(self):
        _, profile, report = self.run_it(ranks=2, source=script.SCRIPTS / "tokens.py", flags=("--input", "get_bach"))
        [warning] = [text for text in report["warnings"] if "--input" in text]
        self.assertEqual(warning, "--input get_bach: the script has no function of this name; the nearest is get_batch; "
                         "input is part of compute")
        self.assertIsNone(report["ledger"]["parts"]["prep"])
        self.assertIsNotNone(report["ledger"]["parts"]["interconnect"])
        self.assertTrue(profile["complete"])

    def test_training_that_goes_on_has_the_batches_that_it_would_have_had(self):
        self.check_command(self.folder, [script.PYTHON, NANOGPT, "--data", self.tokens, "--print-losses"], steps=5_000,
                           flags=("--input", "get_batch"))

    def test_what_is_no_name_is_refused_before_the_script_starts(self):
        result, profile = script.run(self, self.folder, script.PYTHON, "-c", "print('started')",
                                     flags=("--input", "get batch()"), code=2)
        self.assertIn("--input get batch(): not the name of a function", result.err)
        self.assertEqual((result.out, profile), ("", None))


if __name__ == "__main__":
    unittest.main()
