"""docs/cli is what the program prints: its help, which ./stash shows before the program is built, and the tables of
flags, exit codes and keys."""

import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(os.environ.get("STASH_ROOT", pathlib.Path(__file__).parents[2]))
sys.path.insert(0, str(ROOT / "scripts"))

import update_docs  # noqa: E402

PROGRAM = os.environ["STASH_PROGRAM_FILE"]
NOTHING_SAID = "stash: no verb given; to begin with: stash profile\n"  # scripts/help.sh says so too


class Generated(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files, cls.faults = update_docs.wanted(PROGRAM)

    def test_every_generated_page_and_table_is_what_the_program_prints(self):
        self.assertGreater(len(self.files), 40)
        self.assertIn(update_docs.HELP / "catalog-add.txt", self.files)
        changed = update_docs.stale(self.files)
        self.assertEqual(changed, [], f"run: {update_docs.COMMAND}")

    def test_every_table_has_its_place(self):
        self.assertEqual(self.faults, [])

    def test_a_table_has_a_row_for_every_flag_of_the_help(self):
        tables = update_docs.regions(update_docs.printed(PROGRAM, "reference"))
        rows = {line.split("`")[1].split()[0] for line in tables["flags profile"].splitlines()[2:]}
        text = update_docs.printed(PROGRAM, "profile", "--help")
        flags = {line.split()[0] for line in text.splitlines() if line.startswith("  --")}
        self.assertGreater(len(flags), 20)
        self.assertEqual(rows, flags)
        self.assertIn("| `--prefetch N` | `2` |", tables["flags profile"])

    def test_the_reference_is_in_no_help_and_no_message(self):
        self.assertNotIn("reference", update_docs.printed(PROGRAM, "--help"))
        result = subprocess.run([PROGRAM, "no-such-verb"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 2)
        self.assertNotIn("reference", result.stderr)


class Help(unittest.TestCase):
    def test_nothing_at_all_is_answered_with_the_help_of_the_program(self):
        result = subprocess.run([PROGRAM], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertEqual(result.stderr, (update_docs.HELP / "stash.txt").read_text() + NOTHING_SAID)


if __name__ == "__main__":
    unittest.main()
