"""What `stash share pool`, `status` and `train` refuse, and how they say it."""

import unittest

import program

program.require_program(extension=False)


class PoolFlags(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)

    def expect(self, code, arguments, *said):
        result = program.stash("share", *arguments)
        self.assertEqual(result.code, code, result.err)
        for part in said:
            self.assertIn(part, result.err)

    def test_a_flag_at_fault_is_named(self):
        for arguments, said in (
                (("--cores", 0), "--cores 0"),
                (("--cores", 5000), "--cores 5000"),
                (("--workers-per-core", "many"), "--workers-per-core"),
                (("--workers-per-core", "nan"), "--workers-per-core"),
                (("--policy", "evn"), "even"),
                (("--objective", "makespam"), "makespan"),
                (("--report-every", "1us"), "--report-every"),
                (("--measure-gain", "2s"), "four reports"),
                (("--measure-gain", "20s", "--policy", "even"), "--policy even"),
                (("--socket", self.folder.path / ("x" * 120)), "--socket")):
            self.expect(2, ("pool", *arguments), said)

    def test_a_file_in_the_sockets_place_is_kept(self):
        file = self.folder.path / "precious"
        file.write_text("data")
        self.expect(2, ("pool", "--socket", file), "no socket")
        self.assertEqual(file.read_text(), "data")

    def test_a_folder_that_is_not_there_is_named(self):
        self.expect(1, ("pool", "--socket", self.folder.path / "nowhere" / "pool"), "nowhere")

    def test_without_a_pool_status_says_how_to_start_one(self):
        self.expect(1, ("status", "--socket", self.folder.path / "none"), "stash share pool")

    def test_what_a_job_says_of_itself_is_checked(self):
        for arguments, said in ((("--min-workers", 0), "--min-workers 0"), (("--samples", "few"), "--samples"),
                                (("--min-workers", 3, "--max-workers", 2), "--max-workers 2"),
                                (("--max-time", "soon"), "--max-time")):
            self.expect(2, ("train", "--device", "emulated:V100", *arguments), said)


if __name__ == "__main__":
    unittest.main()
