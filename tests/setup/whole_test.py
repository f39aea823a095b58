"""A copy of the whole repository sets itself up and runs."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("STASH_ROOT", pathlib.Path(__file__).parents[2]))


class WholeRepository(unittest.TestCase):
    def test_a_fresh_copy_builds_and_answers(self):
        listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "-z"],
                                capture_output=True, text=True)
        if listed.returncode != 0:
            self.skipTest("not a git checkout")
        with tempfile.TemporaryDirectory(prefix="stash whole ") as folder:
            copy = pathlib.Path(folder) / "check out"
            for name in filter(None, listed.stdout.split("\0")):
                if (ROOT / name).is_file():
                    (copy / name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(ROOT / name, copy / name)
            before = subprocess.run([copy / "stash", "--version"], capture_output=True, text=True)
            self.assertEqual((before.returncode, before.stderr), (0, ""))
            first = subprocess.run([copy / "stash", "models"], capture_output=True, text=True)
            self.assertEqual(first.returncode, 0, first.stderr)
            self.assertIn("compiling the program", first.stderr)
            second = subprocess.run([copy / "stash", "--version"], capture_output=True, text=True)
            self.assertEqual((second.stdout, second.stderr), (before.stdout, ""))


if __name__ == "__main__":
    unittest.main()
