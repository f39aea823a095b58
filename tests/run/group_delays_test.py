"""Links of a known rate for each process group: the cost of each is found (bench/group_delays.py has all cases)."""

import pathlib
import sys
import unittest

import program

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import group_delays

program.require_program(extension=False)


class GroupDelays(unittest.TestCase):
    def test_exposed_hidden_and_at_once(self):
        for number in (9, 12, 20):
            case = group_delays.CASES[number - 1]
            found = group_delays.measure(program.PROGRAM, case, "8s")
            for line in found["communication"]:
                if line["group"] not in ("dp", "tp"):
                    continue
                true_s = group_delays.truth_ms(case[0], case[1], case[3])[line["group"]] / 1e3
                with self.subTest(case=case, group=line["group"]):
                    self.assertAlmostEqual(line["s"], true_s, delta=0.03 * found["step"]["s"] + line["high_s"] - line["s"])


if __name__ == "__main__":
    unittest.main()
