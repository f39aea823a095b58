"""Commands that give nothing to measure, or fail: what is said, and that their exit code is kept."""

import unittest

import program
import script

program.require_program(extension=False)


class BadCommands(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)

    def check(self, *command, code, says, **options):
        result, profile = script.run(self, self.folder, *command, code=code, **options)
        self.assertIn(says, result.err)
        self.assertIsNone(profile)
        self.assertNotIn("Traceback (most recent call last)", result.err.split("stash:")[-1])
        return result

    def test_not_python(self):
        self.check("/bin/sh", "-c", "exit 3", code=3, says="started no Python process")

    def test_no_such_command(self):
        self.check("/no/such/command", code=1, says="cannot start '/no/such/command'")

    def test_never_imports_torch(self):
        result = self.check(script.PYTHON, "-c", "print('hello')", code=0, says="never imported torch")
        self.assertEqual(result.out, "hello\n")

    def test_isolated(self):
        self.check(script.PYTHON, "-I", "-c", "import torch", code=0, says="under -I Python ignores the environment")

    def test_no_step(self):
        self.check(script.PYTHON, "-c", "import torch, torch.optim", code=0, says="no optimizer made a step")

    def test_too_few_steps(self):
        self.check(script.PYTHON, script.SCRIPTS / "toy.py", "--steps", 10, code=0, says="an interval needs 2 rounds")

    def test_two_ranks_with_too_few_steps(self):
        self.check(*script.ranks(2), script.SCRIPTS / "toy.py", "--steps", 12, code=0, says="an interval needs 2 rounds")

    def test_a_crash_keeps_its_traceback_and_its_code(self):
        result = self.check(script.PYTHON, script.SCRIPTS / "toy.py", "--fail-at", 5, code=1, says="failed with exit code 1")
        self.assertLess(result.err.index("the script's own fault"), result.err.index("stash: the command failed"))

    def test_a_missing_build_tool_is_named(self):
        empty = self.folder.path / "cache"
        empty.mkdir()
        result, _ = script.run(self, self.folder, script.PYTHON, script.SCRIPTS / "toy.py", "--steps", 20, "--workers", 0,
                               STASH_CACHE_DIR=empty, PATH="/nonexistent")
        self.assertIn("apt-get install", result.err)
        self.assertEqual(result.out, "done\n")

    def test_no_command(self):
        result = program.stash("run")
        self.assertEqual(result.code, 2)
        self.assertIn("COMMAND is missing", result.err)


if __name__ == "__main__":
    unittest.main()
