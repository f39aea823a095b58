"""Runs a file of unittest cases for ctest: counts what passed, and notes what failed, what was skipped and why.

usage: run_tests.py NAME FILE [unittest options]; leaves with 77 where every test was skipped

STASH_TEST_AGAIN names a folder with the notes of an earlier run: of NAME, only the cases that failed there are run.
"""

import os
import runpy
import sys
import time
import unittest

import notes

SKIPPED = 77  # what ctest takes for a skipped test


def name_of(test):
    """Class.test of a case, or of the case that a sub-test belongs to; what fails outside a case has no such name."""
    return getattr(test, "test_case", test).id().removeprefix("__main__.")


class Result(unittest.TextTestResult):
    """Counts the tests of this process."""

    passed = 0
    failed = set()
    skips = []
    seconds = {}

    def startTest(self, test):
        super().startTest(test)
        self.started = time.monotonic()

    def stopTest(self, test):
        super().stopTest(test)
        Result.seconds[name_of(test)] = time.monotonic() - self.started

    def addSuccess(self, test):
        super().addSuccess(test)
        Result.passed += 1

    def addError(self, test, err):
        super().addError(test, err)
        Result.failed.add(name_of(test))

    def addFailure(self, test, err):
        super().addFailure(test, err)
        Result.failed.add(name_of(test))

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            Result.failed.add(name_of(test))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        Result.skips.append((name_of(test), reason))


def cases_to_repeat(name):
    """The cases that failed before; none: all of the file, since it ended early or failed outside a case."""
    folder = os.environ.get("STASH_TEST_AGAIN")
    if not folder:
        return []
    failed = [case for note in notes.read(folder) if note["kind"] == "count" and note["name"] == name
              for case in note["failed"]]
    return failed if all(" " not in case for case in failed) else []


def main():
    name, file = sys.argv[1:3]
    sys.argv = [file, *sys.argv[3:], *cases_to_repeat(name)]
    sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
    unittest.TextTestRunner.resultclass = Result
    code = 0
    try:
        runpy.run_path(file, run_name="__main__")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    if code == SKIPPED:  # it said why, and left before any test
        sys.exit(code)
    notes.note("count", name=name, passed=Result.passed, failed=sorted(Result.failed), skipped=len(Result.skips))
    for test, seconds in Result.seconds.items():
        notes.note("time", name=f"{name}: {test}", seconds=round(seconds, 1))
    for test, reason in Result.skips:
        notes.note("skip", name=f"{name}: {test}", reason=reason)
    sys.exit(SKIPPED if code == 0 and Result.skips and Result.passed == 0 else code)


if __name__ == "__main__":
    main()
