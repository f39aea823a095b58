"""clang-tidy over every source, which takes ten minutes of CPU time without torch's headers and as long again with them."""

import unittest

import clang_tidy
from gates_test import ROOT, tool


class WholeTree(unittest.TestCase):
    def test_all_sources_are_free_of_what_clang_tidy_finds(self):
        program = tool(self, "clang-tidy", "clang-tidy")
        names = clang_tidy.all_sources(ROOT)
        self.assertGreater(len(names), 300)
        faults, left_out = clang_tidy.findings(ROOT, program, names)
        if left_out:
            print(f"without torch, {len(left_out)} files were left out")
        self.assertEqual(faults, [], f"to see one of them: {clang_tidy.COMMAND} FILE")


if __name__ == "__main__":
    unittest.main()
