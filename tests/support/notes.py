"""What ctest does not hear of: tests skipped inside a file, and tests of times that needed a second attempt."""

import json
import os


def note(kind, **facts):
    """Adds a line to the file that STASH_TEST_NOTES names; without one, nothing is kept."""
    file = os.environ.get("STASH_TEST_NOTES")
    if file:
        with open(file, "a") as notes:
            notes.write(json.dumps({"kind": kind, **facts}) + "\n")
