"""Data sets of others: broken files are skipped, counted and named; too many of them end the run."""

import json
import shutil
import unittest

import program

program.require_program()

import ledger  # noqa: E402

IMAGES = 64
JOB = (*ledger.small_job(), "--batch", 2, "--workers", 1, "--conditions", "hot,cold", "--precision", "0.01%")


class BrokenData(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)
        self.data = self.folder.images(IMAGES, "64x48")
        self.files = sorted(self.data.rglob("*.jpg"))

    def measure(self):
        run = program.Run("profile", *JOB, "--max-time", "3s", "--data", self.data, "--out",
                          self.folder.path / "profile.json")
        result = run.finish(60)
        self.assertEqual(run.survivors(), {})
        self.assertNotIn("Traceback", result.err)
        return result

    def test_a_few_broken_files_are_skipped_counted_and_named(self):
        self.files[3].write_bytes(b"")
        self.files[7].write_bytes(b"\xff\xd8 this is no image")
        self.files[11].write_bytes(self.files[11].read_bytes()[:200])
        result = self.measure()
        self.assertEqual(result.code, 0, result.err)
        profile = json.loads((self.folder.path / "profile.json").read_text())
        self.assertGreater(sum(counters["skipped"] for counters in profile["inputs"]), 0)
        named = {name for counters in profile["inputs"] for name in counters["skipped_files"]}
        self.assertTrue(named)
        self.assertLessEqual(named, {str(self.files[place]) for place in (3, 7, 11)})
        self.assertTrue(any("skipped" in warning or "could not be" in warning
                            for warning in program.stash("report", self.folder.path / "profile.json", "--format",
                                                         "json").json()["warnings"]), "the report tells")

    def test_only_broken_files_are_an_error_that_names_one(self):
        for file in self.files:
            file.write_bytes(b"not an image")
        result = self.measure()
        self.assertEqual(result.code, 1, result.err)
        self.assertRegex(result.err, r"rank \d: ")
        self.assertIn(".jpg", result.err)

    def test_files_that_go_away_meanwhile_are_told(self):
        run = program.Run("profile", *JOB, "--max-time", "60s", "--data", self.data, "--out",
                          self.folder.path / "profile.json")
        run.wait_until(lambda: "round 2:" in run.terminal.text)
        shutil.rmtree(self.data)
        result = run.finish(60)
        self.assertEqual(run.survivors(), {})
        self.assertEqual(result.code, 1, result.err)
        self.assertIn(str(self.data), result.err)
        self.assertNotIn("Traceback", result.err)


if __name__ == "__main__":
    unittest.main()
