"""Scripts that few people have, and that have to work as well."""

import time
import unittest

import program
import script

program.require_program(extension=False)


class More(script.ToyCase):
    def test_workers_end_with_the_script(self):
        """torch waits five seconds for each worker that somebody keeps alive."""
        start = time.monotonic()
        self.toy(1, "--workers", 2, "--persistent", "--samples", 64)
        self.assertLess(time.monotonic() - start, 25)

    def test_workers_that_are_not_copies_of_their_rank(self):
        _, profile = self.toy(1, "--spawn")
        self.assertTrue(profile["complete"])
        self.check_files_are_learned(profile)

    def test_parameters_sharded_the_older_way(self):
        _, profile = script.run(self, self.folder, *script.ranks(2), script.SCRIPTS / "fsdp1.py", flags=script.QUICK)
        self.assertIn("reduce_scatter", {row["op"] for row in profile["collectives"]})
        self.assertTrue(profile["complete"])

    def test_a_stream(self):
        path = self.folder.path / "stream.bin"
        path.write_bytes(bytes(range(256)) * 4096)
        for workers in (0, 2):
            _, profile = script.run(self, self.folder, script.PYTHON, script.SCRIPTS / "stream.py", "--data", path, "--workers",
                                    workers, "--sample-ms", 4, flags=script.QUICK)
            self.assertTrue(profile["complete"])
            self.assertEqual(profile["job"]["batch"], 8)
            parts = script.report(self, self.folder)["ledger"]["parts"]
            self.assertAlmostEqual(parts["prep"]["s"], 0.032 / max(1, workers), delta=0.012, msg=workers)
            self.assertIsNotNone(parts["fetch"], "the file that it reads is found")


class KeepTraining(script.KeepTrainingCase):
    def test_with_workers(self):
        self.check("--workers", 2)

    def test_without_workers(self):
        self.check("--workers", 0)


if __name__ == "__main__":
    unittest.main()
