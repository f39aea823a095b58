"""Stalls put into scripts on purpose: the largest part is the one that was put in."""

import unittest

import program
import script

program.require_program(extension=False)
FLAGS = ("--max-time", "6s", "--precision", "5%")
# Part, flags of `stash run`, arguments of the script; on two ranks unless said otherwise.
PREP = [("prep", 1, (), ("--sample-ms", ms, "--workers", workers)) for ms in (3, 8) for workers in (0, 1, 2)]
COLLATE = [("prep", ranks, (), ("--collate-ms", ms, "--workers", 1)) for ms in (30, 60) for ranks in (1, 2)]
LATE = [("contention", 2, (), ("--rank-ms", ms, "--workers", workers)) for ms in (20, 60) for workers in (0, 1)]
INJECTED_LATE = [("contention", 2, ("--inject", f"rank1=+{ms}ms"), ()) for ms in (25, 50)]
LINK = [("interconnect", 2, ("--inject", f"link={rate}"), ("--width", 512, "--workers", workers))
        for rate in ("200Mbit/s", "500Mbit/s") for workers in (0, 1)]
CASES = PREP + COLLATE + LATE + INJECTED_LATE + LINK


class Injected(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)
        self.files = script.data_folder(self.folder)

    def test_the_injected_part_is_the_largest(self):
        self.assertGreaterEqual(len(CASES), 20)
        for part, ranks, flags, arguments in CASES:
            with self.subTest(part=part, ranks=ranks, flags=flags, arguments=arguments):
                script.run(self, self.folder, *script.ranks(ranks), script.SCRIPTS / "toy.py", "--folder", self.files,
                           "--compute-ms", 5, *arguments, flags=(*FLAGS, *flags))
                self.assertEqual(script.largest_stall(script.report(self, self.folder)["ledger"]), part)


if __name__ == "__main__":
    unittest.main()
