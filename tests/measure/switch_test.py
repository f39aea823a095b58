"""The switch backend: nothing of torch's interface is left out, and its positions do what they say."""

import importlib
import pathlib
import re
import unittest

import program

program.require_program()

import torch  # noqa: E402

from rank_group import run_cases  # noqa: E402

SWITCH = program.ROOT / "src/stash/measure/switch/switch_backend.h"
BACKEND = pathlib.Path(torch.__file__).parent / "include/torch/csrc/distributed/c10d/Backend.hpp"
VIRTUAL = re.compile(r"\bvirtual\s[^;{}]*?\b(\w+)\s*\(")
OVERRIDE = re.compile(r"(\w+)\([^;{}]*\)\s*(?:const\s+)?override")


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


class Interface(unittest.TestCase):
    def test_every_virtual_function_of_this_torchs_backend_is_forwarded(self):
        declared = set(VIRTUAL.findall(without_comments(BACKEND.read_text())))
        self.assertGreater(len(declared), 30)
        forwarded = set(OVERRIDE.findall(without_comments(SWITCH.read_text())))
        self.assertEqual(declared - forwarded, set())

    def test_what_not_every_torch_has_is_looked_for_by_the_build(self):
        guarded = set(re.findall(r"STASH_BACKEND_HAS_(\w+)", SWITCH.read_text()))
        build = (program.ROOT / "src/stash/measure/CMakeLists.txt").read_text()
        probed = set(re.search(r"foreach\(function ([\w\s]+)\)", build).group(1).upper().split())
        self.assertTrue(guarded)
        self.assertEqual(guarded, probed)


class RankCase(unittest.TestCase):
    """Its tests are the cases of a module that ranks run together, once for all of them."""

    outcomes = {}

    def check(self, name):
        outcome = self.outcomes.get(name, ["did not run, after one that failed"])
        self.assertEqual([message for message in outcome if message is not None], [], "\n".join(map(str, outcome)))


def cases_of(module, ranks):
    """A test class with a test for each case."""
    names = [case.__name__ for case in importlib.import_module(module).CASES]
    tests = {f"test_{name}": lambda self, name=name: self.check(name) for name in names}
    start = classmethod(lambda cls: setattr(cls, "outcomes", run_cases(f"{module}.py", ranks)))
    return type(module, (RankCase,), {**tests, "setUpClass": start})


TwoRanks = cases_of("switch_ranks", 2)
TwoNodesOfTwo = cases_of("node_ranks", 4)
ThatMeet = cases_of("meet_ranks", 3)

if __name__ == "__main__":
    unittest.main()
