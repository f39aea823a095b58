"""What a script's process groups cost, under the names that it gave them."""

import unittest

import program
import script

program.require_program(extension=False)
FLAGS = ("--max-time", "60s", "--precision", "50%", "--conditions", "solo,apart,node")


class Groups(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)

    def measure(self, *arguments, flags=FLAGS):
        """(lines by group, profile, result)"""
        result, profile = script.run(self, self.folder, *script.ranks(4), script.SCRIPTS / "mesh.py", *arguments,
                                     flags=flags)
        ledger = script.report(self, self.folder)["ledger"]
        lines = {line["group"]: line for line in ledger["communication"]}
        total = sum(line["s"] for line in lines.values() if line["s"] is not None)
        self.assertAlmostEqual(total, ledger["parts"]["interconnect"]["s"], delta=1e-9)
        return lines, profile, result

    def test_a_mesh_of_fsdp_and_tensor_parallel_ranks(self):
        lines, profile, _ = self.measure("--kind", "sharded")
        self.assertLessEqual({"dp", "tp", None}, set(lines))
        self.assertEqual(lines["dp"]["used_by"], ["FSDP"])
        self.assertEqual({row["op"] for row in lines["dp"]["operations"]}, {"allgather", "reduce_scatter"})
        self.assertEqual({row["op"] for row in lines["tp"]["operations"]}, {"allreduce"})
        for name in ("dp", "tp"):
            self.assertFalse(lines[name]["between_nodes"])
            self.assertLessEqual(lines[name]["low_s"], lines[name]["s"])
            self.assertEqual(lines[name]["calls"], round(lines[name]["calls"]), "as many in every step")
        self.assertEqual({window["variant"] for window in profile["variant_windows"]}, {"off:dp", "off:tp"})
        spans = [span for trace in profile["traces"] for rank in trace["ranks"] for span in rank["host"]]
        self.assertEqual({span[5] for span in spans if span[0] == "collective"}, {"dp", "tp"})

    def test_groups_by_hand_some_of_which_cannot_be_measured(self):
        lines, _, result = self.measure("--kind", "hand", "--alone", "--temporary")
        self.assertLessEqual({"data_parallel", "tp"}, set(lines))
        self.assertEqual(lines["data_parallel"]["calls"], 8)
        self.assertEqual(lines["tp"]["calls"], 2)
        self.assertEqual(lines["solitary"]["why_not"], "it has one rank")
        self.assertIsNone(lines["solitary"]["s"])
        self.assertEqual(lines["made meanwhile"]["why_not"], "made while the profile was taken")
        self.assertEqual(lines["made meanwhile"]["calls"], 1)
        self.assertIn("communication by group", result.err)
        self.assertIn("makes process groups while it trains", result.err)


if __name__ == "__main__":
    unittest.main()
