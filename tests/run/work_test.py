"""From somebody's own script to predictions: what its steps consist of is in the profile."""

import unittest

import program
import script

program.require_program(extension=False)


class Work(script.ToyCase):
    def test_a_profile_of_one_rank_can_be_predicted_and_advised(self):
        _, profile = self.toy(1, "--workers", 0, "--layers", 2)
        work = profile["work"]
        self.assertEqual(work["steps"], 2)
        self.assertEqual((work["batch"], work["passes"], work["optimizer"]), (8, 1, "momentum"))
        linear = [layer for layer in work["layers"] if layer["op"] == "linear"]
        self.assertEqual([layer["parameters"] for layer in linear], [[[256, 256], [256]]] * 2 + [[[10, 256], [10]]])
        self.assertEqual(linear[0]["forward_ops"], 2 * 256 * 256)
        passes = {(row["class"], row["pass"]) for row in work["rows"]}
        self.assertLessEqual({("matrix", "forward"), ("matrix", "backward"), ("optimizer", "update")}, passes)
        self.assertAlmostEqual(sum(row["s"] for row in work["rows"]) / work["step_s"], 1, delta=0.05)

        out = self.folder.path / "run.json"
        predicted = program.stash("predict", out, "--on", "p4d.24xlarge,g5.12xlarge", "--nodes", "1,2", "--format", "json")
        self.assertEqual(predicted.code, 0, predicted.err)
        self.assertEqual(len(predicted.json()["predictions"]), 4)
        advised = program.stash("advise", out, "--epochs", 3, "--samples", 1_000_000, "--deadline", "24h", "--format",
                                "json")
        self.assertEqual(advised.code, 0, advised.err)

    def test_without_work_the_profile_says_what_is_missing(self):
        _, profile = self.toy(1, "--workers", 0, flags=(*script.QUICK, "--no-work"))
        self.assertNotIn("work", {key for key, value in profile.items() if value})
        result = program.stash("predict", self.folder.path / "run.json", "--on", "p4d.24xlarge")
        self.assertEqual(result.code, 1)
        self.assertIn("without --no-work", result.err)


if __name__ == "__main__":
    unittest.main()
