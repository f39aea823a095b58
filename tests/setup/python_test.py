"""./stash chooses an interpreter with torch only for the verbs that need one, and makes one where there is none."""

import os
import re
import shutil
import signal
import subprocess
import time
import unittest

from checkout import ROOT
from setup_test import SetUpCase

# The one place that names it.
OLDEST = ".".join(re.search(r"kOldestTorch\{(\d+), (\d+)\}",
                            (ROOT / "src/stash/launch/extension/oldest_torch.h").read_text()).groups())


class Choosing(SetUpCase):
    def setUp(self):
        super().setUp()
        self.assert_runs("report")
        self.checkout.logged()
        self.own = str(self.checkout.root / ".venv/bin/python")

    def chosen(self, *arguments, **options):
        return self.assert_runs(*arguments, **options)[0][2]

    def environment(self, name, torch):
        folder = self.checkout.folder / name
        self.checkout.make_environment(folder, torch)
        return folder

    def test_only_verbs_that_start_ranks_have_one(self):
        self.assert_runs("serve")  # with the whole program there is nothing left to build
        self.checkout.logged()
        self.assertEqual(self.chosen("profile"), self.own)
        self.assertEqual(self.chosen("profile", "--model", "resnet18"), self.own)
        for verb in ("study", "characterize", "links", "doctor", "extension"):
            self.assertEqual(self.chosen(verb), self.own, verb)
        for arguments in (["report"], ["models"], [], ["profile", "--help"], ["--help"], ["report", "profile"],
                          ["study", "--from", "profile"], ["links", "--topology", "topo.txt"], ["run", "--", "python"], ["watch"], ["../profile"]):
            self.assertEqual(self.chosen(*arguments), "-", arguments)
        self.assertEqual(self.checkout.logged(), [])

    def test_what_follows_two_dashes_is_not_ours(self):
        self.assertEqual(self.chosen("profile", "--", "--help", "--python", "/nowhere"), self.own)

    def test_an_active_environment_with_a_recent_torch_is_taken(self):
        recent = self.environment("recent", f"{OLDEST}.0+cu121")
        self.assertEqual(self.chosen("profile", VIRTUAL_ENV=recent), f"{recent}/bin/python")
        self.assertEqual(self.chosen("profile", CONDA_PREFIX=recent), f"{recent}/bin/python")
        self.assertEqual(self.checkout.logged(), [])

    def test_an_active_environment_without_one_is_passed_over(self):
        old = self.environment("old", "2.4.1")
        none = self.environment("none", None)
        self.assertEqual(self.chosen("profile", VIRTUAL_ENV=old), self.own)
        self.assertEqual(self.chosen("profile", VIRTUAL_ENV=none, CONDA_PREFIX="/nowhere"), self.own)

    def test_the_option_comes_first(self):
        recent, other = self.environment("recent", "2.9.0"), self.environment("other one", "10.0.0")
        named = f"{other}/bin/python"
        self.assertEqual(self.chosen("profile", "--python", named, VIRTUAL_ENV=recent), named)
        self.assertEqual(self.chosen("profile", f"--python={named}", "--ranks", "2"), named)
        self.assertEqual(self.chosen("--python", named, "profile"), named)
        self.assertEqual(self.chosen("profile", "--python", "bin/python", cwd=other), f"{other}/bin/python")

    def test_a_bad_option_is_one_clear_line(self):
        plain = self.checkout.folder / "plain"
        plain.write_text("")
        old, none = self.environment("old", "1.13.1"), self.environment("none", None)
        cases = {"/nowhere/python": "no such file", "no-such-name": "no such program", str(plain): "cannot be executed",
                 "/usr": "cannot be executed", "/bin/false": "not a working Python 3", "/bin/echo": "not a working Python 3",
                 f"{old}/bin/python": f"has torch 1.13.1, but {OLDEST} or newer", f"{none}/bin/python": "has no torch"}
        for file, reason in cases.items():
            with self.subTest(file=file):
                said = self.assert_refused(2, f"--python {file}: {reason}", "profile", "--python", file)
                self.assertEqual(len(said.splitlines()), 1)
        self.assert_refused(2, "--python needs a file", "profile", "--python")


class Making(SetUpCase):
    def setUp(self):
        super().setUp()
        self.assert_runs("report")
        self.checkout.logged()
        self.venv = self.checkout.root / ".venv"

    def assert_made(self):
        """It is made by the next call, once, and with the pinned requirements."""
        _, said = self.assert_runs("profile")
        self.assertIn("installing PyTorch", said)
        installs = [line for line in self.checkout.logged() if "-m pip install" in line]
        self.assertEqual(len(installs), 1)
        self.assertIn(f"-r {self.checkout.root}/python/requirements.txt", installs[0])
        self.assertEqual(self.assert_runs("profile")[1], "")
        self.assertEqual(self.checkout.logged(), [])

    def test_a_missing_environment_is_made_once(self):
        shutil.rmtree(self.venv)
        self.assert_made()

    def test_an_environment_without_its_stamp_is_made_anew(self):
        (self.venv / "stamp").unlink()
        (self.venv / "left over").write_text("")
        self.assert_made()
        self.assertFalse((self.venv / "left over").exists())

    def test_an_environment_without_torch_or_interpreter_is_made_anew(self):
        shutil.rmtree(self.venv / "lib")
        self.assert_made()
        (self.venv / "bin/python").unlink()
        (self.venv / "bin/python").symlink_to("/nowhere/python3")
        self.assert_made()

    def test_other_requirements_make_another_environment(self):
        self.checkout.write("python/requirements.txt", "torch==2.13.0\nnumpy==3\n")
        self.assert_made()

    def killed_while_installing(self, seconds, with_pip):
        """A call is killed while pip works for some seconds, alone or with pip."""
        shutil.rmtree(self.venv)
        started = self.checkout.folder / "pip started"
        self.checkout.install_python(before_install=f"echo $$ >'{started}.new'; mv '{started}.new' '{started}'; sleep {seconds}")
        call = subprocess.Popen(**self.checkout.command("profile"), start_new_session=True)
        while not started.exists():
            time.sleep(0.02)
        os.killpg(call.pid, signal.SIGKILL)
        if with_pip:
            os.killpg(os.getpgid(int(started.read_text())), signal.SIGKILL)
        call.communicate()
        self.checkout.install_python()
        self.checkout.logged()

    def test_an_installation_that_was_killed_is_made_anew(self):
        self.killed_while_installing(60, with_pip=True)
        self.assert_made()

    def test_an_installation_whose_script_was_killed_is_waited_for(self):
        self.killed_while_installing(3, with_pip=False)
        _, said = self.assert_runs("profile")
        self.assertIn("another call is setting up", said)
        self.assertEqual([line for line in self.checkout.logged() if "-m pip" in line], [])

    def test_it_is_made_while_the_program_compiles(self):
        shutil.rmtree(self.venv)
        (self.checkout.root / "build/release/first_stamp").unlink()
        # Each of the two waits for the other: one after the other they would not end.
        marks = self.checkout.folder
        wait = "touch '{0}/{1}'; for ((i = 0; i < 500; ++i)); do [[ -e '{0}/{2}' ]] && break; sleep 0.02; done"
        self.checkout.install_python(before_install=wait.format(marks, "pip", "ninja") + f"; [[ -e '{marks}/ninja' ]]")
        ninja = shutil.which("ninja")
        self.checkout.tool("ninja", wait.format(marks, "ninja", "pip") + f"\nexec '{ninja}' \"$@\"")
        _, said = self.assert_runs("profile")
        self.assertRegex(said, "compiling the program.*installing PyTorch|installing PyTorch.*compiling the program")
        self.assertLess(len(said.splitlines()), 5)

    def test_a_verb_that_needs_no_torch_does_not_wait_until_another_call_has_installed_it(self):
        shutil.rmtree(self.venv)
        (self.checkout.root / "build/release/first_stamp").unlink()
        go_on = self.checkout.folder / "go on"
        self.checkout.install_python(before_install=f"while [[ ! -e '{go_on}' ]]; do sleep 0.05; done")
        call = subprocess.Popen(**self.checkout.command("profile"))
        while not any("-m pip" in line for line in self.lines()):
            time.sleep(0.02)
        try:
            self.assert_runs("report")
            self.assertIsNone(call.poll())
        finally:
            go_on.write_text("")
            call.communicate(timeout=60)
        self.assertEqual(call.returncode, 0)

    def lines(self):
        return self.checkout.log.read_text().splitlines() if self.checkout.log.exists() else []

    def test_without_a_network_it_says_so_in_one_sentence(self):
        shutil.rmtree(self.venv)
        self.checkout.install_python(before_install="echo 'Temporary failure in name resolution' >&2; exit 1")
        said = self.assert_refused(1, "the package index cannot be reached", "profile")
        self.assertEqual(len([line for line in said.splitlines() if "setting up" not in line]), 1, said)
        self.checkout.install_python()
        self.checkout.logged()
        self.assert_made()

    def test_a_failed_installation_says_what_else_can_be_done(self):
        shutil.rmtree(self.venv)
        self.checkout.install_python(before_install="echo no space left >&2; exit 1")
        said = self.assert_refused(1, "--python FILE", "profile")
        self.assertIn("no space left", said)
        self.assertFalse((self.venv / "stamp").exists())

    def test_it_is_not_needed_for_a_report(self):
        shutil.rmtree(self.venv)
        self.assert_runs("report", "r50.json")
        self.assertFalse(self.venv.exists())


if __name__ == "__main__":
    unittest.main()
