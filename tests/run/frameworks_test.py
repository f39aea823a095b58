"""Scripts that were written for other purposes."""

import importlib.util
import unittest

import program
import script

program.require_program(extension=False)
QUICK = script.QUICK
HUGGING_FACE = all(importlib.util.find_spec(name) for name in ("transformers", "accelerate"))


class Frameworks(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)

    def check(self, *command, parts=("compute", "contention", "interconnect", "prep"), flags=QUICK):
        result, profile = script.run(self, self.folder, *command, flags=flags)
        self.assertIsNotNone(profile, result.err)
        self.assertTrue(profile["complete"], result.err)
        report = script.report(self, self.folder)
        for part in parts:
            self.assertIsNotNone(report["ledger"]["parts"][part], part)
        return profile

    @unittest.skipUnless(HUGGING_FACE, "transformers and accelerate are not installed")
    def test_trainer_with_accumulation(self):
        profile = self.check(*script.ranks(2), script.SCRIPTS / "hf_trainer.py", "--accumulate", 2)
        gradients = [row for row in profile["collectives"] if row["op"] == "allreduce" and row["bytes"] > 100_000]
        self.assertTrue(gradients)

    @unittest.skipUnless(HUGGING_FACE, "transformers and accelerate are not installed")
    def test_accelerate(self):
        self.check(*script.ranks(2), script.SCRIPTS / "accelerate_loop.py")

    def test_imagenet_example(self):
        images = self.folder.images(256, size="64x48")
        profile = self.check(script.PYTHON, script.SCRIPTS / "imagenet.py", images,
                             parts=("compute", "contention", "interconnect", "prep", "fetch"))
        self.assertEqual(profile["job"]["ranks"], 2)


if __name__ == "__main__":
    unittest.main()
