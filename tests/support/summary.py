"""The closing lines of ./test: how many tests passed and failed, what was skipped and why, what needed two attempts.

usage: summary.py FOLDER, which holds what ctest wrote (*.xml) and the notes of the Python tests. Fails where no test ran.
"""

import collections
import json
import pathlib
import re
import sys
import xml.etree.ElementTree

SLOWEST = 5  # named at the end
GTEST_SKIP = re.compile(r": Skipped\n(.*)")


def read_notes(folder):
    file = folder / "notes"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def skip_reason(case):
    """What a test that ctest saw skipped said: gtest's message, else its last line."""
    output = (case.findtext("system-out") or "").strip()
    found = GTEST_SKIP.search(output)
    return found.group(1).strip() if found else (output.splitlines() or ["no reason given"])[-1]


def summarize(folder):
    notes = read_notes(folder)
    counted = {note["name"]: note for note in notes if note["kind"] == "count"}
    skips = [(note["name"], note["reason"]) for note in notes if note["kind"] == "skip"]
    passed = failed = 0
    for case in (case for file in folder.glob("*.xml") for case in xml.etree.ElementTree.parse(file).iter("testcase")):
        name, status = case.get("name"), case.get("status")
        if name in counted:
            passed += counted[name]["passed"]
            failed += max(counted[name]["failed"], status == "fail")
        elif status == "run":
            passed += 1
        elif status == "fail":
            failed += 1
        else:
            skips.append((name, skip_reason(case)))
    slow = sorted(((note["seconds"], note["name"]) for note in notes if note["kind"] == "time"), reverse=True)[:SLOWEST]
    again = sorted({note["name"] for note in notes if note["kind"] == "again"})
    return passed, failed, skips, again, slow


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
