"""Ways to measure a wrong factor; each test fails when what guards against one is taken out. The second, ranks that do
not train together again, needs no quiet machine: windows_test.py."""

import unittest

import program

program.require_program()

import ledger  # noqa: E402

BATCH = 4
WORKERS = 2
PREP_S = 0.040
INPUT_STEP_S = BATCH * PREP_S / WORKERS  # of a job that waits for its input
LATE_S = 0.030
WARMUP_S = 1
BUDGET = ("--precision", "5%", "--max-time", "10s", "--batch", BATCH)


class Traps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = program.Folder()
        cls.addClassCleanup(cls.folder.close)
        cls.data = cls.folder.images(256, "96x72")
        cls.runs = {}

    def measure(self, injection, conditions):
        """Each job once for all tests."""
        key = injection, conditions
        if key not in self.runs:
            self.runs[key] = ledger.profile(self, self.folder, *ledger.small_job(), *BUDGET, "--workers", WORKERS, "--data",
                                            self.data, "--conditions", conditions, "--inject", injection)
        return self.runs[key]

    def input_bound(self, more=""):
        return self.measure(f"prep={PREP_S * 1e3}ms/sample{more}", "node,hot,cold")

    def test_1_batches_prepared_between_windows_are_not_free(self):
        report, profile = self.input_bound()
        self.assertAlmostEqual(report["ledger"]["step_by_condition"]["hot"]["s"], INPUT_STEP_S, delta=0.03 * INPUT_STEP_S)
        for step_s in ledger.window_steps_s(profile, "hot"):
            self.assertGreater(step_s, 0.97 * INPUT_STEP_S, "a window used what was prepared before it")

    def test_3_cold_pages_are_cold_and_hot_ones_hot(self):
        _, profile = self.input_bound()
        for window in profile["windows"]:
            if window["condition"] == "cold":
                self.assertLessEqual(window["resident_ratio"], 0.1)
            elif window["condition"] == "hot":
                self.assertGreaterEqual(window["resident_ratio"], 0.9)
            else:
                self.assertIsNone(window["resident_ratio"])
        for counters in profile["inputs"]:
            self.assertGreater(counters["cold_bytes"], 0)
            self.assertGreater(counters["read_bytes"], counters["cold_bytes"])

    def test_4_a_conditions_first_step_is_in_no_window(self):
        plain, _ = self.input_bound()
        warm, profile = self.input_bound(f",warmup=+{WARMUP_S}s")
        step_s = plain["ledger"]["step"]["s"]
        for name, part in plain["ledger"]["parts"].items():
            if part is not None:
                self.assertAlmostEqual(warm["ledger"]["parts"][name]["s"], part["s"], delta=0.05 * step_s, msg=name)
        for condition in ("node", "hot", "cold"):
            quickest_s = min(ledger.window_steps_s(profile, condition))
            for window in profile["windows"]:
                if window["condition"] == condition:
                    excess_s = max(rank["wall_s"] for rank in window["ranks"]) - window["steps"] * quickest_s
                    self.assertLess(excess_s, WARMUP_S / 2, "a window has the condition's first step in it")

    def test_5_waiting_for_a_late_rank_is_not_a_transfer(self):
        report, profile = self.measure(f"rank1=+{LATE_S * 1e3}ms", "solo,apart,node")
        parts = report["ledger"]["parts"]
        self.assertAlmostEqual(parts["contention"]["s"], LATE_S, delta=0.15 * LATE_S)
        self.assertLess(parts["interconnect"]["s"], 0.5 * LATE_S)
        late = report["ledger"]["late_rank"]
        self.assertEqual((late["rank"], late["condition"]), (1, "apart"))
        self.assertAlmostEqual(late["s"], LATE_S, delta=0.15 * LATE_S)
        for window in profile["windows"]:
            if window["condition"] == "node":
                first, second = (rank["collective_s"] / window["steps"] for rank in window["ranks"])
                self.assertGreater(first, second + 0.5 * LATE_S, "the rank in time waits inside its collectives")


if __name__ == "__main__":
    unittest.main()
