"""docs/cli/help is what the program prints: ./stash shows it before the program is built.

To write it anew after a change: python3 tests/cli/help_test.py --update PROGRAM
"""

import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(os.environ.get("STASH_ROOT", pathlib.Path(__file__).parents[2]))
FOLDER = ROOT / "docs" / "cli" / "help"
NOTHING_SAID = "stash: no verb given; to begin with: stash profile\n"  # scripts/help.sh says so too
GROUP = re.compile(r"^(?:Verbs|Subcommands):\n((?:  +.*\n)+)", re.MULTILINE)


def shown(program, *words):
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout


def pages(program):
    """What --help prints, by the name of its file, of the program, its verbs and their verbs."""
    found = {"stash": shown(program)}
    for verb in verbs_in(found["stash"]):
        found[verb] = shown(program, verb)
        for inner in verbs_in(found[verb]):
            found[f"{verb}-{inner}"] = shown(program, verb, inner)
    return found


def verbs_in(text):
    return [match.group(1) for group in GROUP.findall(text) for match in re.finditer(r"^  (\w+)", group, re.MULTILINE)]


def update(program):
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for name, text in pages(program).items():
        (FOLDER / f"{name}.txt").write_text(text)


class Help(unittest.TestCase):
    def test_every_page_is_what_the_program_prints(self):
        program = os.environ["STASH_PROGRAM_FILE"]
        kept = {path.stem: path.read_text() for path in FOLDER.glob("*.txt")}
        printed = pages(program)
        self.assertGreater(len(printed), 20)
        self.assertIn("catalog-add", printed)
        changed = sorted(name for name in printed.keys() | kept.keys() if printed.get(name) != kept.get(name))
        self.assertEqual(changed, [], f"write them anew: python3 tests/cli/help_test.py --update {program}")

    def test_nothing_at_all_is_answered_with_the_help_of_the_program(self):
        result = subprocess.run([os.environ["STASH_PROGRAM_FILE"]], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertEqual(result.stderr, (FOLDER / "stash.txt").read_text() + NOTHING_SAID)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--update"]:
        update(sys.argv[2])
    else:
        unittest.main()
