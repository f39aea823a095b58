"""What ./test says at its end: counts, skips with their reasons, tests that passed only when they were repeated."""

import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))

import notes
import summary

CASE = '<testcase name="{}" status="{}"><system-out>{}</system-out></testcase>'


class ClosingLines(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, *cases):
        file = self.folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"<testsuite>{''.join(CASE.format(*case) for case in cases)}</testsuite>")

    def note(self, kind, **facts):
        with mock.patch.dict("os.environ", STASH_TEST_NOTES=str(self.folder / notes.FILE)):
            notes.note(kind, **facts)

    def test_cases_of_files_are_counted(self):
        self.write("unit.xml", ("Units.Parse", "run", ""), ("Units.Print", "fail", ""))
        self.write("others.xml", ("run", "fail", ""), ("watch", "run", ""))
        self.note("count", name="run", passed=3, failed=["Run.test_a", "Run.test_b"], skipped=0)
        self.note("count", name="watch", passed=2, failed=[], skipped=0)
        passed, failed, *_ = summary.summarize(self.folder)
        self.assertEqual((passed, failed), (6, 3))

    def test_what_passed_when_repeated_is_named(self):
        self.write("others.xml", ("run", "fail", ""), ("watch", "fail", ""), ("suite", "fail", ""))
        self.note("count", name="run", passed=3, failed=["Run.test_a"], skipped=0)
        self.write("again/others.xml", ("run", "run", ""), ("watch", "run", ""), ("suite", "fail", ""))
        passed, failed, _, again, _ = summary.summarize(self.folder)
        self.assertEqual((passed, failed), (5, 1))
        self.assertEqual(again, ["run: Run.test_a", "watch"])

    def test_skips_have_their_reasons(self):
        self.write("others.xml", ("device", "notrun", "no GPU here"), ("run", "run", ""))
        self.note("count", name="run", passed=1, failed=[], skipped=1)
        self.note("skip", name="run: Run.test_c", reason="not as root")
        _, _, skips, *_ = summary.summarize(self.folder)
        self.assertEqual(sorted(skips), [("device", "no GPU here"), ("run: Run.test_c", "not as root")])


if __name__ == "__main__":
    unittest.main()
