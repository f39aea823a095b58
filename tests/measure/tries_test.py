"""Known stalls go in, and fixes that take them away are tried: what they save is measured, and what cannot help is said
not to."""

import unittest

import program

program.require_program()

import ledger  # noqa: E402

GRADIENT_BYTES = 4 * 1_248_424  # of squeezenet1_0
LINK_S = GRADIENT_BYTES / 12.5e6
DELAY_S = 0.060


class Tries(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)

    def test_half_the_bytes_and_a_rank_without_its_delay_save_what_was_injected(self):
        report, profile = ledger.profile(self, self.folder, *ledger.small_job(2), "--batch", 4, "--conditions",
                                         "solo,apart,node", "--inject", f"link=100Mbit/s,rank1=+{DELAY_S * 1e3:.0f}ms",
                                         "--precision", "5%", "--max-time", "15s", "--try")
        tried = {row["fix"]: row for row in report["tried"]}
        half, delay = tried["half_gradients"], tried["no_delay:1"]
        self.assertTrue(half["helps"])
        self.assertAlmostEqual(half["saved_s"], LINK_S / 2, delta=0.1 * LINK_S)
        self.assertAlmostEqual(half["predicted_s"], half["saved_s"], delta=0.2 * half["saved_s"])
        self.assertTrue(delay["helps"])
        self.assertAlmostEqual(delay["saved_s"], DELAY_S, delta=0.2 * DELAY_S)
        self.assertFalse(any(row["helps"] for fix, row in tried.items() if fix.startswith("bucket")), tried)
        why = {row["action"]: row["why"] for row in report["not_tried"]}
        self.assertIn("no condition with input was measured", why.values())
        self.assertEqual({row["fix"] for row in profile["tried"] if row["left_out"] is None}, set(tried))
        measured = [step for step in (report["first_step"], *report["first_step"]["alternatives"]) if step["measured"]]
        self.assertTrue(measured, "what was tried is the advice")


if __name__ == "__main__":
    unittest.main()
