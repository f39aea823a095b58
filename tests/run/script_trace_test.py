"""What the ranks of the user's own script did in a window, by their clocks: runs alone."""

import unittest

import program
import script
import spans

program.require_program(extension=False)


class Trace(script.ToyCase):
    def test_two_ranks_have_all_parts_of_a_node_and_spans_that_fit_into_their_windows(self):
        _, profile = self.toy(2)
        ledger = script.report(self, self.folder)["ledger"]
        for name in ("compute", "contention", "interconnect", "prep", "fetch"):
            self.assertIsNotNone(ledger["parts"][name], name)
        self.assertAlmostEqual(sum(part["s"] for part in ledger["parts"].values() if part), ledger["step"]["s"], places=9)
        self.assertEqual({window["condition"] for window in profile["windows"]}, {"solo", "apart", "node", "hot", "cold"})
        self.assertTrue(profile["complete"])
        spans.check_traces(self, profile, slack_s=1e-4)  # of the interpreter, around a wait
        spans.check_file(self, profile, self.folder.path / "run.json")


if __name__ == "__main__":
    unittest.main()
