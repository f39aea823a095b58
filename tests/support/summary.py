"""The closing lines of ./test: how many tests passed and failed, what was skipped and why, what needed a second attempt.

usage: summary.py FOLDER, which holds what ctest wrote (*.xml; again/*.xml of the tests that were repeated) and the notes
of the Python tests. Fails where no test ran.
"""

import collections
import pathlib
import re
import sys
import xml.etree.ElementTree

import notes as kept

SLOWEST = 5  # named at the end
GTEST_SKIP = re.compile(r": Skipped\n(.*)")


def skip_reason(case):
    """What a test that ctest saw skipped said: gtest's message, else its last line."""
    output = (case.findtext("system-out") or "").strip()
    found = GTEST_SKIP.search(output)
    return found.group(1).strip() if found else (output.splitlines() or ["no reason given"])[-1]


def cases_in(folder):
    return [case for file in folder.glob("*.xml") for case in xml.etree.ElementTree.parse(file).iter("testcase")]


def summarize(folder):
    notes = kept.read(folder)
    counted = {note["name"]: note for note in notes if note["kind"] == "count"}
    skips = [(note["name"], note["reason"]) for note in notes if note["kind"] == "skip"]
    passed_again = {case.get("name") for case in cases_in(folder / "again") if case.get("status") == "run"}
    passed = failed = 0
    again = []
    for case in cases_in(folder):
        name, status = case.get("name"), case.get("status")
        if status not in ("run", "fail"):
            if name not in counted:
                skips.append((name, skip_reason(case)))
            continue
        own = counted.get(name)
        failures = (own["failed"] if own else []) or [""] if status == "fail" else []
        passed += own["passed"] if own else not failures
        if name in passed_again:
            passed += len(failures)
            again += [f"{name}: {failure}" if failure else name for failure in failures]
        else:
            failed += len(failures)
    slow = sorted(((note["seconds"], note["name"]) for note in notes if note["kind"] == "time"), reverse=True)[:SLOWEST]
    return passed, failed, skips, sorted(again), slow


def main():
    passed, failed, skips, again, slow = summarize(pathlib.Path(sys.argv[1]))
    if slow:
        print(f"slowest: {', '.join(f'{name} {seconds:.0f} s' for seconds, name in slow)}")
    by_reason = collections.defaultdict(list)
    for name, reason in skips:
        by_reason[reason].append(name)
    for reason, names in sorted(by_reason.items()):
        print(f"skipped, {reason}: {', '.join(sorted(names))}")
    print(f"needed a second attempt: {len(again)}{' (' + ', '.join(again) + ')' if again else ''}")
    print(f"{passed} passed, {failed} failed, {len(skips)} skipped")
    sys.exit(0 if passed + failed else "no test ran: is the name or the label right?")


if __name__ == "__main__":
    main()
