"""Runs the commands that the documentation shows.

A block of commands is fenced with ```console; its lines that begin with "$ " are run in order, those of one page in
one folder. ```console skip=REASON keeps a block from being run; its flags are still looked up."""

import os
import re
import shlex
import subprocess
import unittest

import program

program.require_program()

PAGES = [program.ROOT / "README.md", *sorted((program.ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w*)(.*)$")
PROMPT = "$ "
ENTRY = "./stash"


def blocks(page):
    """(info string, lines) of every console block."""
    language, info, lines = None, "", []
    for line in page.read_text().splitlines():
        fence = FENCE.match(line)
        if fence and language is None:
            language, info, lines = fence.group(1), fence.group(2).strip(), []
        elif fence:
            if language == "console":
                yield info, lines
            language = None
        else:
            lines.append(line)


def commands(lines):
    """What stands behind the prompts; a backslash at the end goes on in the next line."""
    text = "\n".join(lines).replace("\\\n", " ")
    return [line.removeprefix(PROMPT) for line in text.splitlines() if line.startswith(PROMPT)]


def split(wanted):
    """(page, commands) of the blocks that are to be run, or of those that are not."""
    for page in PAGES:
        chosen = [command for info, lines in blocks(page) if bool(info) != wanted for command in commands(lines)]
        if chosen:
            yield page, chosen


class Docs(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)

    def test_the_commands_shown_run(self):
        pages = 0
        for page, shown in split(wanted=True):
            folder = self.folder.path / page.stem
            folder.mkdir()
            (folder / "stash").symlink_to(program.PROGRAM)
            pages += 1
            for command in shown:
                with self.subTest(f"{page.relative_to(program.ROOT)}: {command}"):
                    self.check_runs(command, folder)
        self.assertGreater(pages, 2)

    def check_runs(self, command, folder):
        environment = {**os.environ, "STASH_ROOT": str(program.ROOT), "XDG_CACHE_HOME": str(self.folder.path / "cache"),
                       "XDG_DATA_HOME": str(self.folder.path / "data")}
        ended = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder, env=environment, text=True,
                               stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertNotIn("Traceback", ended.stdout + ended.stderr)

    def test_commands_that_are_not_run_use_flags_that_exist(self):
        looked_up = 0
        for page, shown in split(wanted=False):
            for command in shown:
                words = shlex.split(command, comments=True)
                if words[:1] == [ENTRY] and len(words) > 1:
                    looked_up += 1
                    with self.subTest(f"{page.relative_to(program.ROOT)}: {command}"):
                        self.check_flags(words[1:])
        self.assertGreater(looked_up, 3)

    def check_flags(self, words):
        verb = [word for word in words[:2] if not word.startswith("-")][:2 if words[0] in ("dataset", "catalog", "study") else 1]
        known = program.stash(*verb, "--help")
        self.assertEqual(known.code, 0, known.err)
        for flag in (word.split("=")[0] for word in words if word.startswith("--")):
            self.assertRegex(known.out, rf"(?m)^\s.*{re.escape(flag)}\b")

    def test_a_block_that_is_not_run_says_why(self):
        for page in PAGES:
            for info, lines in blocks(page):
                with self.subTest(f"{page.relative_to(program.ROOT)}: {lines[:1]}"):
                    self.assertRegex(info, r"^(skip=\S.*)?$")
                    self.assertTrue(commands(lines), "no line begins with a prompt")


if __name__ == "__main__":
    unittest.main()
