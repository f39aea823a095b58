"""Many more ranks than cores: the job is slow and comes to its end."""

import json
import unittest

import program

program.require_program()


class ManyRanks(unittest.TestCase):
    def test_many_more_ranks_than_cores(self):
        folder = program.Folder()
        self.addCleanup(folder.close)
        job = ("--model", "squeezenet1_0", "--image-size", "64", "--batch", "1", "--device", "emulated:K80", "--workers", "1",
               "--data", folder.images(64, size="64x48"))
        result = program.stash("profile", *job, "--ranks", "32", "--max-time", "30s", "--precision", "50%", "--out",
                               folder.path / "out.json", cwd=folder.path, timeout=240)
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(len(json.loads((folder.path / "out.json").read_text())["windows"][0]["ranks"]), 32)


if __name__ == "__main__":
    unittest.main()
