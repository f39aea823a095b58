"""A known stall goes in; the ledger must find that stall and its size."""

import unittest

import program

program.require_program()

import ledger  # noqa: E402

TOLERANCE = 0.03  # of the step
RANKS = 2
BATCH = 4
WORKERS = 2
BUDGET = ("--precision", "5%", "--max-time", "8s")
ONE_RANK_COLLECTIVES_S = 0.26e-3  # per step, where they are passed on to Gloo


class Injected(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = program.Folder()
        cls.addClassCleanup(cls.folder.close)
        cls.data, cls.file_bytes = cls.folder.equal_images(256, "96x72")

    def measure(self, injection, conditions, *more):
        report, _ = ledger.profile(self, self.folder, *ledger.small_job(RANKS), *BUDGET, "--batch", BATCH, "--workers", WORKERS,
                                   "--data", self.data, "--conditions", conditions, "--inject", injection, *more)
        ledger.check_sum(self, report)
        return report

    def check(self, report, part, expected_s):
        step_s = report["ledger"]["step"]["s"]
        self.assertEqual(ledger.largest_stall(report), part)
        self.assertAlmostEqual(report["ledger"]["parts"][part]["s"], expected_s, delta=TOLERANCE * step_s)

    def step_s(self, report, condition):
        return report["ledger"]["step_by_condition"][condition]["s"]

    def test_preparation_that_takes_long_is_prep(self):
        prep_s = 0.060
        report = self.measure(f"prep={prep_s * 1e3}ms/sample", "solo,node,hot")
        self.check(report, "prep", BATCH * prep_s / WORKERS - self.step_s(report, "node"))
        self.assertEqual(report["verdict"].split(" costs ")[0].split()[-1], "prep")

    def test_slow_storage_is_fetch(self):
        read_s = 0.120  # of a step's files on each rank
        rate = BATCH * self.file_bytes / read_s
        report = self.measure(f"read={rate:.0f}B/s", "solo,node,hot,cold")
        self.check(report, "fetch", read_s - self.step_s(report, "hot"))

    def test_a_slow_link_is_interconnect(self):
        gradient_bytes = 4 * 1_248_424
        rate = 12.5e6
        # Each of two ranks sends 2 x 1/2 of the gradients; all but the tail end of it after the backward pass.
        report = self.measure("link=100Mbit/s", "solo,apart,node")
        self.check(report, "interconnect", gradient_bytes / rate)

    def test_a_late_rank_is_contention_and_is_named(self):
        report = self.measure("rank1=+60ms", "solo,apart,node")
        self.check(report, "contention", 0.060)
        late = report["ledger"]["late_rank"]
        self.assertEqual((late["rank"], late["condition"]), (1, "apart"))
        self.assertAlmostEqual(late["s"], 0.060, delta=0.005)

    def test_the_collectives_of_one_rank_are_no_stall(self):
        report, profile = ledger.profile(self, self.folder, *ledger.small_job(ranks=1), *BUDGET, "--batch", BATCH,
                                         "--workers", WORKERS, "--data", self.data, "--conditions", "solo,hot")
        ledger.check_sum(self, report)
        solo_s, hot_s = (min(ledger.window_steps_s(profile, condition)) for condition in ("solo", "hot"))
        self.assertLess(hot_s - solo_s, ONE_RANK_COLLECTIVES_S / 2)


if __name__ == "__main__":
    unittest.main()
