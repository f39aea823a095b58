"""The order of the folders, and what no file may contain."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("STASH_ROOT", pathlib.Path(__file__).parents[2]))
sys.path.insert(0, str(ROOT / "scripts"))

import repository  # noqa: E402

SOURCES = ROOT / "src" / "stash"
ORDER = ["core", "models", "catalog", "input", "launch", "attribute", "ruler", "import", "measure", "predict", "advise",
         "share", "plan", "serve", "fleet", "battery", "study", "report", "view", "cli"]
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
TORCH = re.compile(r"^(torch|ATen|c10|caffe2|pybind11)/")
# Headers that hold only what is written down: a writer never measures, predicts or advises.
WRITTEN = {"stash/predict/prediction.h", "stash/advise/first_step.h", "stash/advise/advice.h", "stash/advise/question.h",
           "stash/advise/tried_step.h"}

# Homes and workplaces of whoever wrote the file; written so that this file does not contain them.
PERSONAL = re.compile(r"/(?:home|Users|root|work)/[A-Za-z.]")
OUTSIDE = "../" + "shared"
ALLOWED_HOMES = ("/home/user", "/home/you", "/home/me")


def source_files():
    return [path for path in repository_files() if SOURCES in path.parents and path.suffix in (".h", ".cpp")]


def repository_files():
    return repository.repository_files(ROOT)


class Layout(unittest.TestCase):
    def test_every_folder_has_its_place_in_the_order(self):
        folders = {path.relative_to(SOURCES).parts[0] for path in source_files()}
        self.assertTrue(folders)
        self.assertEqual(folders - set(ORDER), set())

    def test_a_folder_includes_only_folders_above_it(self):
        wrong = []
        for path in source_files():
            place = ORDER.index(path.relative_to(SOURCES).parts[0])
            for include in INCLUDE.findall(path.read_text()):
                parts = include.split("/")
                if parts[0] == "stash" and (parts[1] not in ORDER or ORDER.index(parts[1]) > place):
                    wrong.append(f"{path.relative_to(ROOT)} includes {include}")
        self.assertEqual(wrong, [])

    def test_only_measure_includes_torch(self):
        wrong = [f"{path.relative_to(ROOT)} includes {include}"
                 for path in source_files() if path.relative_to(SOURCES).parts[0] != "measure"
                 for include in INCLUDE.findall(path.read_text()) if TORCH.match(include)]
        self.assertEqual(wrong, [])

    def test_report_takes_structs_from_predict_and_advise_and_computes_nothing_with_them(self):
        wrong = [f"{path.relative_to(ROOT)} includes {include}"
                 for path in source_files() if path.relative_to(SOURCES).parts[0] == "report"
                 for include in INCLUDE.findall(path.read_text())
                 if include.startswith(("stash/predict/", "stash/advise/")) and include not in WRITTEN]
        self.assertEqual(wrong, [])

    def test_own_headers_are_included_by_their_path_from_the_source_root(self):
        wrong = [f"{path.relative_to(ROOT)} includes {include}"
                 for path in source_files() for include in INCLUDE.findall(path.read_text())
                 if include.startswith("stash/") and not (ROOT / "src" / include).is_file()]
        self.assertEqual(wrong, [])


class Repository(unittest.TestCase):
    def test_files_that_nobody_added_are_not_looked_at(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for file in ("kept.py", "train.py"):
                (root / file).write_text("import os\n")
            for command in (["init", "--quiet"], ["add", "kept.py"]):
                subprocess.run(["git", "-C", name, *command], check=True)
            self.assertEqual(repository.repository_files(root), [root / "kept.py"])

    def test_no_file_names_a_folder_of_the_machine_it_was_written_on(self):
        wrong = []
        for path in repository_files():
            try:
                text = path.read_text()
            except UnicodeDecodeError:
                continue
            wrong += [f"{path.relative_to(ROOT)}: {match.group()}" for match in PERSONAL.finditer(text)
                      if not text.startswith(ALLOWED_HOMES, match.start())]
        self.assertEqual(wrong, [])

    def test_no_file_reads_a_folder_beside_the_repository(self):
        wrong = [str(path.relative_to(ROOT)) for path in repository_files()
                 if path.suffix in (".cpp", ".h", ".py", ".sh", ".md", ".txt", ".cmake") and OUTSIDE in path.read_text()]
        self.assertEqual(wrong, [])

    def test_shell_scripts_are_valid(self):
        scripts = [path for path in repository_files() if path.suffix == ".sh"] + [ROOT / "stash", ROOT / "test", ROOT / ".ci/run"]
        for script in scripts:
            checked = subprocess.run(["bash", "-n", str(script)], capture_output=True, text=True)
            self.assertEqual(checked.returncode, 0, checked.stderr)

    def test_entries_can_be_executed(self):
        for name in ("stash", "test", ".ci/run"):
            self.assertTrue(os.access(ROOT / name, os.X_OK), name)


if __name__ == "__main__":
    unittest.main()
