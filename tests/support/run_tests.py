"""Runs a file of unittest cases for ctest: counts what passed, and notes what was skipped and why.

usage: run_tests.py NAME FILE [unittest options]; leaves with 77 where every test was skipped
"""

import os
import runpy
import sys
import time
import unittest

import notes

SKIPPED = 77  # what ctest takes for a skipped test


class Result(unittest.TextTestResult):
    """Counts the tests of this process."""

    passed = failed = 0
    skips = []
    seconds = {}

    def startTest(self, test):
        super().startTest(test)
        self.started = time.monotonic()

    def stopTest(self, test):
        super().stopTest(test)
        Result.seconds[test.id().removeprefix("__main__.")] = time.monotonic() - self.started

    def addSuccess(self, test):
        super().addSuccess(test)
        Result.passed += 1

    def addError(self, test, err):
        super().addError(test, err)
        Result.failed += 1

    def addFailure(self, test, err):
        super().addFailure(test, err)
        Result.failed += 1

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        Result.skips.append((test.id().removeprefix("__main__."), reason))


def main():
    name, file = sys.argv[1:3]
    sys.argv = [file, *sys.argv[3:]]
    sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
    unittest.TextTestRunner.resultclass = Result
    code = 0
    try:
        runpy.run_path(file, run_name="__main__")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    if code == SKIPPED:  # it said why, and left before any test
        sys.exit(code)
    notes.note("count", name=name, passed=Result.passed, failed=Result.failed, skipped=len(Result.skips))
    for test, seconds in Result.seconds.items():
        notes.note("time", name=f"{name}: {test}", seconds=round(seconds, 1))
    for test, reason in Result.skips:
        notes.note("skip", name=f"{name}: {test}", reason=reason)
    sys.exit(SKIPPED if code == 0 and Result.skips and Result.passed == 0 else code)


if __name__ == "__main__":
    main()
