"""`--keep-training`: what a script is after it was measured."""

import unittest

import program
import script

program.require_program(extension=False)


class KeepTraining(script.KeepTrainingCase):
    def test_on_two_ranks(self):
        self.check("--workers", 1, count=2)


if __name__ == "__main__":
    unittest.main()
