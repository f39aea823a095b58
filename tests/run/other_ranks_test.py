"""A script that was profiled on two ranks, predicted for four, and met by four real ones."""

import unittest

import program
import script

program.require_program(extension=False)
FLAGS = ("--max-time", "8s", "--precision", "5%", "--conditions", "solo,apart,node", "--inject", "link=100Mbit/s")


class OtherRanks(unittest.TestCase):
    def measured(self, ranks, name):
        script.run(self, self.folder, *script.ranks(ranks), script.SCRIPTS / name, flags=FLAGS)
        return script.report(self, self.folder)["ledger"]

    def check(self, name):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)
        self.measured(2, name)
        result = program.stash("predict", self.folder.path / "run.json", "--set", "ranks=4", "--format", "json")
        self.assertEqual(result.code, 0, result.err)
        predicted = result.json()["predictions"][0]["ledger"]
        real = self.measured(4, name)
        return predicted, real

    def test_shards(self):
        predicted, real = self.check("fsdp2.py")
        seen, expected = (next(line for line in ledger["communication"] if line["group"]) for ledger in (real, predicted))
        self.assertEqual((seen["group"], seen["ranks"]), (expected["group"], expected["ranks"]))
        for one, other in zip(seen["operations"], expected["operations"], strict=True):
            self.assertEqual(one["op"], other["op"])
            self.assertAlmostEqual(one["calls"], other["calls"], delta=0.01 * one["calls"])
            self.assertAlmostEqual(one["bytes"], other["bytes"], delta=0.02 * one["bytes"])
        stalls = [ledger["parts"]["interconnect"]["s"] for ledger in (predicted, real)]
        self.assertAlmostEqual(stalls[0] / stalls[1], 1, delta=0.5, msg=stalls)


if __name__ == "__main__":
    unittest.main()
