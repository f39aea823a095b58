"""What holds of windows however long they take, so that other tests may run beside these."""

import unittest

import program

program.require_program()

import ledger  # noqa: E402


class Windows(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)

    def test_ranks_that_trained_apart_train_together_again(self):
        _, profile = ledger.profile(self, self.folder, "--device", "cpu", "--model", "squeezenet1_0", "--image-size", 64,
                                    "--batch", 2, "--conditions", "apart,node", "--precision", "50%", "--max-time", "8s")
        self.assertTrue(profile["complete"])
        self.assertGreater(profile["loss"], 0)
        order = [window["condition"] for window in profile["windows"]]
        self.assertIn(("apart", "node"), list(zip(order, order[1:])))

    def test_parts_without_meaning_are_absent(self):
        data = self.folder.images(32, "96x72")
        report, _ = ledger.profile(self, self.folder, *ledger.small_job(), "--batch", 4, "--workers", 2, "--data", data,
                                   "--conditions", "solo,apart", "--inject", "prep=1ms/sample", "--rounds", 2)
        ledger.check_sum(self, report)
        absent = [name for name, part in report["ledger"]["parts"].items() if part is None]
        self.assertEqual(absent, ["interconnect", "network", "copy", "prep", "fetch"])


if __name__ == "__main__":
    unittest.main()
