"""A study whose time limit is too short for a single profile."""

import pathlib
import tempfile
import unittest

import program

program.require_program()

MODELS = "resnet10,resnet12,resnet14,resnet16,resnet18,resnet20"


class Limit(unittest.TestCase):
    def test_a_limit_that_is_too_short_names_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            result = program.stash("study", "layers", "--models", MODELS, "--held-out", "resnet10_nobn", "--device",
                                   "emulated:V100", "--image-size", "64", "--max-time", "2s", "--local", "--out",
                                   pathlib.Path(folder, "profiles"))
            self.assertEqual(result.code, 1, result.err[-500:])
            self.assertIn("7 models within 2.00 s (--max-time)", result.err)
            self.assertIn("0 profiles to fit are too few, 6 are needed", result.err)
            self.assertIn("--max-time 2.00 s was reached first; the same command resumes", result.err)


if __name__ == "__main__":
    unittest.main()
