"""`stash links --topology`: a saved matrix is explained without a GPU, an interpreter or ranks."""

import json
import unittest

import program

program.require_program(extension=False)

SAVED = program.ROOT / "docs" / "topologies" / "missing-nvlink.txt"


class Topology(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)

    def links(self, *arguments):
        return program.stash("links", *arguments, STASH_PYTHON="/no/such/python")

    def test_what_is_missing_comes_first_and_in_words_for_a_ticket(self):
        result = self.links("--topology", SAVED, "--instance", "P3.16xlarge")
        self.assertEqual(result.code, 0, result.err)
        lines = result.out.splitlines()
        self.assertEqual(lines[0], "this machine has less than a p3.16xlarge should have; for a support ticket:")
        self.assertEqual(lines[1], "  GPU 2 and GPU 3 have no NVLinks between them (nvidia-smi topo -m: SYS); "
                                   "a p3.16xlarge has 2 there.")
        self.assertIn("on a p3.16xlarge they carry 150 GB/s", result.out)
        self.assertIn("NCCL finds 4 rings (nvlink), 100 GB/s", result.out)
        self.assertIn("slowest pair: GPU 0 and GPU 5, SYS (across sockets)", result.out)

    def test_without_a_type_nothing_is_compared(self):
        result = self.links("--topology", SAVED)
        self.assertEqual(result.code, 0, result.err)
        self.assertNotIn("ticket", result.out)
        self.assertIn("since the GPU is not known", result.out)

    def test_json_has_the_same(self):
        result = self.links("--topology", SAVED, "--instance", "p3.16xlarge", "--format", "json")
        found = json.loads(result.out)["topology"]
        self.assertEqual(found["gpus"], 8)
        self.assertEqual(found["type"], "p3.16xlarge")
        self.assertEqual(len(found["faults"]), 2)
        self.assertEqual(sorted(found["rings"]["order"]), list(range(8)))
        self.assertEqual(found["slowest_pair"], {"first": 0, "second": 5, "connection": "SYS"})

    def test_what_cannot_be_read_is_said(self):
        broken = self.folder.path / "topo.txt"
        broken.write_text(SAVED.read_text().replace("PIX", "").replace("NV2", "NVX", 1))
        for code, arguments, said in (
                (1, ["--topology", broken], f"{broken} line 2: 'NVX' is no connection"),
                (1, ["--topology", program.ROOT / "README.md"], "has no matrix of GPUs"),
                (1, ["--topology", "/no/such/file"], "/no/such/file"),
                (2, ["--topology", SAVED, "--instance", "p3.16xlarg"], "did you mean 'p3.16xlarge'?"),
                (2, ["--topology", SAVED, "--format", "csv"], "--topology has no csv")):
            with self.subTest(arguments):
                result = self.links(*arguments)
                self.assertEqual(result.code, code, result.err)
                self.assertIn(said, result.err)
                self.assertEqual(result.out, "")


if __name__ == "__main__":
    unittest.main()
