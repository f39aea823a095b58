"""The first program has the verbs that scripts/build.sh lists, as the whole one has them, and asks ./stash for the rest."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("STASH_ROOT", pathlib.Path(__file__).parents[2]))
sys.path.insert(0, str(ROOT / "scripts"))

import update_docs  # noqa: E402

FIRST = os.environ["STASH_FIRST_FILE"]
SPLIT = ["predict", "--model", "gpt:layers=48,hidden=8192,heads=64,seq=2048", "--tensor", "8", "--on", "p4d.24xlarge"]


def listed_verbs():
    script = f"root='{ROOT}'; source '{ROOT}/scripts/build.sh'; echo $first_verbs"
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split()


class FirstProgram(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def entry(self, script):
        """./stash of a checkout, as a script that tells how it was started."""
        (self.folder / "stash").write_text(f"#!/bin/bash\n{script}\n")
        (self.folder / "stash").chmod(0o755)

    def call(self, *arguments):
        return subprocess.run([FIRST, *map(str, arguments)], capture_output=True, text=True, timeout=60, cwd=self.folder,
                              env={**os.environ, "STASH_ROOT": str(self.folder)})

    def assert_asks(self, *arguments):
        """It became ./stash with the same arguments, whose exit code is its own."""
        self.entry('printf "%s\\n" "$STASH_PROGRAM" "$@"; exit 7')
        result = self.call(*arguments)
        self.assertEqual((result.returncode, result.stdout, result.stderr),
                         (7, "".join(f"{word}\n" for word in ("whole", *arguments)), ""))

    def test_it_has_the_verbs_that_are_listed_with_the_same_help(self):
        verbs = update_docs.verbs_in(update_docs.printed(FIRST, "--help"))
        self.assertEqual(verbs, listed_verbs())
        whole = update_docs.help_texts(os.environ["STASH_PROGRAM_FILE"])
        first = update_docs.help_texts(FIRST)
        del first["stash"]
        self.assertGreater(len(first), len(verbs))
        self.assertEqual(first, {name: whole[name] for name in first})

    def test_its_version_is_that_of_the_whole_program(self):
        self.assertEqual(update_docs.printed(FIRST, "--version"),
                         update_docs.printed(os.environ["STASH_PROGRAM_FILE"], "--version"))

    def test_it_works_by_itself(self):
        result = self.call("models")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("resnet50", result.stdout)

    def test_what_the_rest_of_the_program_knows_is_left_to_the_whole_one(self):
        self.assert_asks(*SPLIT)
        self.assert_asks("catalog", "add", "--name", "lab")
        self.assert_asks("run", "--share", "--", "python", "train.py")
        (self.folder / "suite/cases").mkdir(parents=True)
        self.assert_asks("report", "suite", "--format", "json")
        (self.folder / "bench.json").write_text('{"primitives": {}, "batches": [], "parts": []}')
        self.assert_asks("report", "bench.json")
        self.assert_asks("diff", "bench.json", "bench.json", "--fail-over", "3%")

    def test_errors_come_before_that(self):
        self.entry("echo this must not be started")
        result = self.call("report", "nothing.json")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        result = self.call("predict", "--tensr", "8")
        self.assertEqual((result.returncode, result.stdout), (2, ""))

    def test_without_a_checkout_it_says_what_to_do(self):
        result = self.call(*SPLIT)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertRegex(result.stderr, r"\Astash: cannot start .*/stash: No such file or directory; build the whole "
                                        r"program: cmake --build --preset release\n\Z")


if __name__ == "__main__":
    unittest.main()
