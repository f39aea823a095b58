"""Scripts that get in the way: each gets a clear sentence, and the ledger without the part that could not be had."""

import unittest

import program
import script

program.require_program(extension=False)
AWKWARD = script.SCRIPTS / "awkward.py"


class Awkward(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)

    def check_without_work(self, *arguments, says):
        result, profile = script.run(self, self.folder, script.PYTHON, AWKWARD, *arguments, flags=script.QUICK)
        self.assertTrue(profile["complete"])
        self.assertIsNone(profile["work"])
        self.assertIsNotNone(script.report(self, self.folder)["ledger"]["parts"]["prep"])
        self.assertEqual([text for text in profile["warnings"] if "what a step consists of" in text],
                         [f"what a step consists of was not recorded: {says}"], result.err)

    def test_a_profiler_that_is_active(self):
        self.check_without_work("--profiler", "from the start",
                                says="another profiler is active: leave it out, or give --no-work to do without this")

    def test_a_profiler_that_is_started_while_steps_are_recorded(self):
        self.check_without_work("--profiler", "later", says="the script started a profiler of its own: start it later, or "
                                                            "leave it out here")

    def test_out_of_memory_while_steps_are_recorded(self):
        result, profile = script.run(self, self.folder, script.PYTHON, AWKWARD, "--out-of-memory-at", 3, flags=script.QUICK,
                                     code=1)
        self.assertIn("OutOfMemoryError: the GPU is full", result.err, "the script's own traceback")
        self.assertIn("ran out of memory while two of its steps were recorded: use a smaller batch, or --no-work", result.err)
        self.assertIsNone(profile)

    def test_ranks_with_different_step_counts(self):
        """The first rank has not ended when the second one has: 60 steps are some of the pilot's."""
        result, profile = script.run(self, self.folder, *script.ranks(2), AWKWARD, "--steps", 4_000, 60, flags=script.QUICK)
        self.assertEqual(result.out, "done\n" * 2)
        self.assertIn("another rank ended while this one goes on", result.err)
        self.assertIsNone(profile)


if __name__ == "__main__":
    unittest.main()
