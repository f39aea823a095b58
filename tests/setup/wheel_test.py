"""`pip install .` in somebody's own environment: with a torch, and without one."""

import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
TOY = ROOT / "tests" / "run" / "scripts" / "toy.py"


def call(*command, **options):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, timeout=900, **options)


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        # A copy, so that the checkout's own build folder stays as it is.
        source = cls.folder / "source"
        files = call("git", "-C", ROOT, "ls-files").stdout.split()
        for name in files:
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
        built = call(sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", cls.folder, source)
        if built.returncode != 0:
            raise AssertionError(built.stdout)
        cls.wheel = next(cls.folder.glob("stash-*.whl"))

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

    def variables(self, programs):
        """Those of a new shell: nothing of the checkout that is tested."""
        return {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(self.folder), "CUDA_VISIBLE_DEVICES": ""}

    def test_without_torch(self):
        programs = self.environment("bare", torch=False)
        variables = self.variables(programs)
        self.assertIn("resnet50", call(programs / "stash", "models", env=variables).stdout)
        marked = call(programs / "python", "-c", "import stash; stash.mark_step(); print(list(stash.wrap([1])))",
                      env=variables)
        self.assertEqual(marked.stdout, "[1]\n")
        refused = call(programs / "stash", "profile", "--max-time", "2s", cwd=self.folder, env=variables)
        self.assertIn("torch", refused.stdout)
        self.assertNotEqual(refused.returncode, 0)
        self.assertNotIn("Traceback", refused.stdout)

    def test_with_torch(self):
        programs = self.environment("torch", torch=True)
        variables = self.variables(programs)
        first = call(programs / "stash", "run", "--max-time", "3s", "--precision", "50%", "--out", self.folder / "run.json",
                     "--", programs / "python", TOY, cwd=self.folder, env=variables)
        self.assertEqual(first.returncode, 0, first.stdout)
        self.assertIn("built the torch extension", first.stdout)
        self.assertIn("step by condition", first.stdout)
        again = call(programs / "stash", "extension", env=variables)
        self.assertNotIn("building", again.stdout)
        self.assertEqual(again.returncode, 0, again.stdout)


if __name__ == "__main__":
    unittest.main()
