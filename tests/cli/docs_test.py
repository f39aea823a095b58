"""Runs the commands that the documentation shows, and compares what they print.

A block of commands is fenced with ```console; its lines that begin with "$ " are run in order, those of one page in
one folder that has nothing but links to the program and to docs/. Lines behind a command are what it prints on standard
output (shown_output.py says what may differ). ```console skip=REASON keeps a block from being run; its flags are still
looked up. ```console vary=REASON runs it and compares nothing. Called with STASH_UPDATE_DOCS=1, it writes into the
pages what is printed now."""

import os
import re
import shlex
import subprocess
import sys
import unittest

import program
import shown_output

sys.path.insert(0, str(program.ROOT / "scripts"))

import update_docs

program.require_program()

PAGES = [path for path in update_docs.pages() if path.name == "README.md" or update_docs.DOCS in path.parents]
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
    """(command, lines shown below it) of what stands behind the prompts; a backslash continues in the next line."""
    found = []
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        if line.startswith(PROMPT):
            found.append((line.removeprefix(PROMPT), []))
        elif found:
            found[-1][1].append(line)
    return [(command, shown[:-1] if shown[-1:] == [""] else shown) for command, shown in found]


def extension_cache():
    """Where the torch extension is already: building it again takes minutes on a busy machine."""
    user_cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.environ.get("STASH_CACHE_DIR") or os.path.join(user_cache, "stash")


def is_run(info):
    return not info.startswith("skip=")


def split(wanted):
    """(page, [(command, output shown)]) of the blocks that are to be run, or of those that are not."""
    for page in PAGES:
        chosen = [(command, [] if info else shown) for info, lines in blocks(page) if is_run(info) == wanted
                  for command, shown in commands(lines)]
        if chosen:
            yield page, chosen


class Docs(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)

    def test_the_commands_shown_run_and_print_what_is_shown(self):
        pages = compared = 0
        for page, shown in split(wanted=True):
            folder = self.folder.path / page.relative_to(program.ROOT).with_suffix("")  # stems are not unique
            folder.mkdir(parents=True)
            (folder / "stash").symlink_to(program.PROGRAM)
            (folder / "docs").symlink_to(program.ROOT / "docs")
            pages += 1
            for command, output in shown:
                compared += bool(output)
                with self.subTest(f"{page.relative_to(program.ROOT)}: {command}"):
                    printed = self.check_runs(command, folder)
                    exact = shown_output.is_exact(command)
                    if output and not shown_output.matches(output, printed, exact):
                        self.check_output(page, output, printed, exact)
        self.assertGreater(pages, 2)
        self.assertGreater(compared, 2)

    def check_output(self, page, output, printed, exact):
        if "STASH_UPDATE_DOCS" in os.environ:
            cut = output[-1].strip() == shown_output.ANY
            new = printed[:len(output) - 1] + [shown_output.ANY] if cut else printed
            page.write_text(page.read_text().replace("\n".join(output), "\n".join(line.rstrip() for line in new)))
        self.fail("it prints something else; to write that into the page: STASH_UPDATE_DOCS=1 ./test -R '^docs$'\n" +
                  shown_output.difference(output, printed, exact))

    def check_runs(self, command, folder):
        environment = {**os.environ, "STASH_ROOT": str(program.ROOT), "XDG_CACHE_HOME": str(self.folder.path / "cache"),
                       "XDG_DATA_HOME": str(self.folder.path / "data"), "STASH_CACHE_DIR": extension_cache()}
        ended = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder, env=environment, text=True,
                               stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertNotIn("Traceback", ended.stdout + ended.stderr)
        return ended.stdout.splitlines()

    def test_commands_that_are_not_run_use_flags_that_exist(self):
        looked_up = 0
        for page, shown in split(wanted=False):
            for command, _ in shown:
                words = shlex.split(command, comments=True)
                if words[:1] == [ENTRY] and len(words) > 1:
                    looked_up += 1
                    with self.subTest(f"{page.relative_to(program.ROOT)}: {command}"):
                        self.check_flags(words[1:])
        self.assertGreater(looked_up, 3)

    def check_flags(self, words):
        deep = words[0] in ("dataset", "catalog", "study", "serve", "share", "fleet")
        words = words[:words.index("--")] if "--" in words else words  # what follows is the script's
        verb = [word for word in words[:2] if not word.startswith("-")][:2 if deep else 1]
        known = program.stash(*verb, "--help")
        self.assertEqual(known.code, 0, known.err)
        for flag in (word.split("=")[0] for word in words if word.startswith("--")):
            self.assertRegex(known.out, rf"(?m)^\s.*{re.escape(flag)}\b")

    def test_a_block_that_is_not_run_says_why(self):
        for page in PAGES:
            for info, lines in blocks(page):
                with self.subTest(f"{page.relative_to(program.ROOT)}: {lines[:1]}"):
                    self.assertRegex(info, r"^((skip|vary)=\S.*)?$")
                    self.assertTrue(commands(lines), "no line begins with a prompt")


class Comparing(unittest.TestCase):
    def assert_match(self, shown, printed, same=True):
        self.assertEqual(shown_output.matches(shown.splitlines(), printed.splitlines()), same, (shown, printed))

    def test_figures_may_differ(self):
        self.assert_match("node costs 41 % (37.1 of 90.2 ms)", "node costs 8 % (1.2 of 1,190.2 µs)")
        self.assert_match("  compute   43.30   11.75", "  compute  143.30    1.75")
        self.assert_match("written to /home/you/lab.json", "written to /tmp/x/lab-2.json")
        self.assert_match("2 ranks; node1 with 8 cores of Some CPU", "2 ranks; vm with 2 cores of Intel(R) Xeon(R) @ 2 GHz")
        self.assert_match("photos: 100 images, 110 kB each", "photos: 100 images, 1.2 MB each")

    def test_nothing_may_differ_where_the_page_has_the_profile(self):
        self.assertTrue(shown_output.is_exact("./stash report docs/profiles/x.json --usd-per-hour 3.99"))
        self.assertFalse(shown_output.is_exact("./stash report x.json"))
        shown = ["fetch  30.6  26.3 to 34.8", "…"]
        self.assertTrue(shown_output.matches(shown, ["fetch   30.6   26.3 to 34.8", "step"], exact=True))
        self.assertFalse(shown_output.matches(shown, ["fetch  30.6  26.2 to 34.9", "step"], exact=True))

    def test_words_may_not(self):
        self.assert_match("compute 43.30", "computing 43.30", same=False)
        self.assert_match("compute 43.30", "compute –", same=False)
        self.assert_match("first\nsecond", "first", same=False)
        self.assert_match("first", "first\nsecond", same=False)
        self.assert_match("p3.8xlarge 4 V100", "p2.8xlarge 4 V100", same=False)

    def test_an_ellipsis_stands_for_any_lines_or_text(self):
        self.assert_match("first\n…", "first\nsecond\nthird")
        self.assert_match("first\n…", "second\nfirst", same=False)
        self.assert_match("first\n…\nlast", "first\nlast")
        self.assert_match("first … 4 V100", "first of many 8 V100")


if __name__ == "__main__":
    unittest.main()
