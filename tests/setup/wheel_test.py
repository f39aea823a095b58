"""`pip install .` in somebody's own environment: with a torch, and without one."""

import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOY = ROOT / "tests" / "run" / "scripts" / "toy.py"


def call(*command, **options):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, timeout=900, **options)


class Wheel(unittest.TestCase):
    """Built once, by an interpreter that has torch: the wheel brings the extension for it."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        # A copy, so that the checkout's own build folder stays as it is.
        source = cls.folder / "source"
        call("git", "clone", "--quiet", "--no-hardlinks", ROOT, source)
        for name in call("git", "-C", ROOT, "ls-files").stdout.split():  # as they are now, not as they were committed
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
        built = call(sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", cls.folder, source)
        if built.returncode != 0:
            raise AssertionError(built.stdout)
        cls.wheel = next(cls.folder.glob("stash_profiler-*.whl"))
        # A PATH on which there is a shell but no compiler.
        cls.tools = cls.folder / "tools"
        cls.tools.mkdir()
        for name in ("sh", "bash", "env", "uname"):
            (cls.tools / name).symlink_to(shutil.which(name))

    def environment(self, name, torch):
        """An environment with Stash in it; `torch`: it sees the packages of this interpreter too."""
        folder = self.folder / name
        self.assertEqual(call(sys.executable, "-m", "venv", folder).returncode, 0)
        if torch:
            packages = next(folder.glob("lib/python3*/site-packages"))
            (packages / "torch.pth").write_text(sysconfig.get_path("purelib") + "\n")
        installed = call(folder / "bin" / "python", "-m", "pip", "install", "--no-deps", self.wheel)
        self.assertEqual(installed.returncode, 0, installed.stdout)
        return folder / "bin"

    def variables(self, programs, path="/usr/bin:/bin"):
        """Those of a new shell: nothing of the checkout that is tested."""
        return {"PATH": f"{programs}:{path}", "HOME": str(self.folder / programs.parent.name), "CUDA_VISIBLE_DEVICES": ""}

    def run_toy(self, programs, variables, *flags):
        return call(programs / "stash", "run", *flags, "--out", self.folder / "run.json", "--", programs / "python", TOY,
                    cwd=self.folder, env=variables)

    def test_without_torch(self):
        programs = self.environment("bare", torch=False)
        variables = self.variables(programs)
        self.assertIn("resnet50", call(programs / "stash", "models", env=variables).stdout)
        self.assertRegex(call(programs / "stash", "--version", env=variables).stdout, r"stash \d+\.\d+\.\d+ \([0-9a-f]{12}\+?\)")
        marked = call(programs / "python", "-c", "import stash; stash.mark_step(); print(list(stash.wrap([1])))",
                      env=variables)
        self.assertEqual(marked.stdout, "[1]\n")
        refused = call(programs / "stash", "profile", "--max-time", "2s", cwd=self.folder, env=variables)
        self.assertIn("torch", refused.stdout)
        self.assertNotEqual(refused.returncode, 0)
        self.assertNotIn("Traceback", refused.stdout)

    def test_with_the_torch_of_the_wheel_no_compiler_is_needed(self):
        programs = self.environment("torch", torch=True)
        run = self.run_toy(programs, self.variables(programs, self.tools), "--max-time", "3s", "--precision", "50%")
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertNotIn("building", run.stdout)
        self.assertIn("step by condition", run.stdout)
        self.assertRegex((self.folder / "run.json").read_text(), r'"revision": "[0-9a-f]{12}\+?"')

    def test_with_another_torch_and_no_compiler_it_says_which_torch_needs_none(self):
        programs = self.environment("other", torch=True)
        stamp = next(programs.parent.glob("lib/python3*/site-packages/stash/*/extensions/*/stamp"))
        lines = stamp.read_text().split("\n")
        lines[1] = "2.99.0+cpu"  # as though the wheel had been built with that one
        stamp.write_text("\n".join(lines))
        run = self.run_toy(programs, self.variables(programs, self.tools), "--max-time", "3s")
        self.assertIn("there is no C++20 compiler", run.stdout)
        self.assertIn("needs no compiler with torch 2.99.0+cpu", run.stdout)

    def test_with_another_torch_it_is_built_once(self):
        programs = self.environment("rebuilt", torch=True)
        shutil.rmtree(next(programs.parent.glob("lib/python3*/site-packages/stash/*/extensions")))
        variables = self.variables(programs)
        first = self.run_toy(programs, variables, "--max-time", "3s", "--precision", "50%")
        self.assertEqual(first.returncode, 0, first.stdout)
        self.assertIn("built the torch extension", first.stdout)
        self.assertIn("step by condition", first.stdout)
        again = call(programs / "stash", "extension", env=variables)
        self.assertNotIn("building", again.stdout)
        self.assertEqual(again.returncode, 0, again.stdout)


if __name__ == "__main__":
    unittest.main()
