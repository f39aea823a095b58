"""`stash run --try`: fixes of a script's own objects are measured beside its conditions, and taken back."""

import unittest

import program
import script

program.require_program(extension=False)
FLAGS = ("--max-time", "25s", "--precision", "20%", "--conditions", "solo,apart,node,hot", "--no-work", "--try")


class Tries(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)

    def measure(self, *arguments, inject):
        """({fix: row}, {action: why not}, profile)"""
        _, profile = script.run(self, self.folder, *script.ranks(2), script.SCRIPTS / "tried.py", *arguments,
                                flags=(*FLAGS, "--inject", inject))
        report = script.report(self, self.folder)
        return ({row["fix"]: row for row in report["tried"]}, {row["action"]: row["why"] for row in report["not_tried"]},
                profile)

    def test_half_the_gradients_over_a_slow_link_and_another_bucket(self):
        tried, left_out, profile = self.measure("--bucket-mb", 2, inject="link=200Mbit/s")  # 4 MB of gradients: 160 ms
        self.assertTrue(tried["half_gradients:world"]["helps"], tried)
        self.assertAlmostEqual(tried["half_gradients:world"]["saved_s"], 0.08, delta=0.04)
        self.assertLessEqual({"bucket:1048576", "bucket:8388608"}, set(tried))
        self.assertIn("the loader has no workers, and torch starts them with the loader: DataLoader(num_workers=…)",
                      left_out.values())
        self.assertEqual({row["fix"] for row in profile["tried"] if row["left_out"] is None}, set(tried))

    def test_more_workers_for_slow_samples(self):
        tried, left_out, _ = self.measure("--workers", 1, "--sample-ms", 10, inject="rank1=+1ms")  # batches of 8: 80 ms
        self.assertTrue(tried["workers:2"]["helps"], tried)
        self.assertFalse(tried["prefetch:4"]["helps"], "no worker makes more than before")
        self.assertIn("batches stay in the CPU's memory", left_out.values())


if __name__ == "__main__":
    unittest.main()
