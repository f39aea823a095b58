"""What the ranks of somebody's own script did in a window, by their clocks: runs alone."""

import unittest

import program
import script
import spans

program.require_program(extension=False)


class Trace(script.ToyCase):
    def test_spans_of_two_ranks_fit_into_their_windows(self):
        _, profile = self.toy(2)
        spans.check_traces(self, profile, slack_s=1e-4)  # of the interpreter, around a wait
        spans.check_file(self, profile, self.folder.path / "run.json")


if __name__ == "__main__":
    unittest.main()
