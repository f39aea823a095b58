"""`stash characterize`, `stash compare` and `stash study` before a rank starts: flags, job files, folders."""

import json
import unittest

import made_profile
import program

program.require_program(extension=False)


class Characterize(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)
        self.out = self.folder.path / "vm"

    def refuse(self, code, arguments, *said):
        result = program.stash(*arguments)
        self.assertEqual(result.code, code, result.err)
        for text in said:
            self.assertIn(text, result.err)

    def job_file(self, content):
        path = self.folder.path / "job.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def test_flags_that_cannot_be(self):
        begin = ("characterize", "--out", self.out)
        self.refuse(2, (*begin, "--models", "resnet18,vgg12"), "vgg11")
        self.refuse(2, (*begin, "--batches", "32,x"), "--batches")
        self.refuse(2, (*begin, "--ranks", "0"), "--ranks")
        self.refuse(2, (*begin, "--device", "emulated:V1000"), "V100")
        self.refuse(2, (*begin, "--max-cost", "5usd"), "--usd-per-hour")
        self.refuse(2, (*begin, "--max-cost", "5eur", "--usd-per-hour", "1"), "5usd")
        self.refuse(2, (*begin, "--max-time", "soon"), "--max-time")
        self.refuse(2, (*begin, "--instance", "p3.8xlarg"), "p3.8xlarge")
        self.refuse(2, (*begin, "--usd-per-hour", "-1"), "--usd-per-hour")
        self.refuse(2, (*begin, "--format", "html5"), "--format")

    def test_links_that_cannot_be(self):
        begin = ("study", "layers", "--out", self.out, "--device")
        self.refuse(2, (*begin, "emulated:V100", "--link", "fast"), "--link", "1Gbit/s")
        self.refuse(2, (*begin, "emulated:V100", "--link", "0Gbit/s"), "--link", "host")
        self.refuse(2, (*begin, "cpu", "--link", "1Gbit/s"), "--inject link=")
        self.refuse(2, ("study", "layers", "--from", self.folder.path, "--out", self.out), "standard output")

    def test_job_files_that_cannot_be(self):
        begin = ("characterize", "--out", self.out)
        self.refuse(2, (*begin, self.job_file({"model": ["resnet18"]})), "'model'", "models")
        self.refuse(2, (*begin, self.job_file({"batches": {"a": 1}})), "batches")
        self.refuse(2, (*begin, self.job_file([1])), "one JSON object")
        self.refuse(1, (*begin, self.job_file("{")), "job file")
        self.refuse(1, (*begin, self.folder.path / "nowhere.json"), "nowhere.json")
        self.refuse(2, (*begin, self.job_file({"usd-per-hour": "dear"})), "usd-per-hour")

    def test_a_folder_that_cannot_be_made_is_named(self):
        (self.folder.path / "file").write_text("")
        self.refuse(1, ("characterize", "--out", self.folder.path / "file" / "vm"), "file/vm", "--out")

    def test_folders_without_a_battery(self):
        self.refuse(1, ("compare", self.out), "stash characterize")
        (self.out / "cases").mkdir(parents=True)
        self.refuse(1, ("report", self.out), "holds no cases")
        self.refuse(2, ("compare", self.out, "--epochs", "0"), "--epochs")

    def test_prices_are_one_for_each_folder(self):
        names = ("cheap", "dear")
        for name in names:
            (self.folder.path / name / "cases").mkdir(parents=True)
            (self.folder.path / name / "cases" / "one.json").write_text(json.dumps(made_profile.made_profile()))
        folders = [self.folder.path / name for name in names]
        self.refuse(2, ("compare", *folders, "--usd-per-hour", "3.60"), "1 prices for 2 folders")
        self.refuse(2, ("compare", *folders, "--usd-per-hour", "3.60,dear"), "dear")
        shown = program.stash("compare", *folders, "--usd-per-hour", "3.60,12.24")
        self.assertEqual(shown.code, 0, shown.err)
        self.assertIn("cheapest: cheap for 1 model", shown.out)
        priced = program.stash("report", folders[0], "--usd-per-hour", "3.60", "--format", "json").json()["cases"][0]
        self.assertAlmostEqual(priced["epoch_usd"], priced["epoch_s"] / 1000)

    def test_a_damaged_profile_is_a_row(self):
        (self.out / "cases").mkdir(parents=True)
        (self.out / "cases" / "broken.json").write_text("{")
        shown = program.stash("report", self.out, "--format", "json")
        self.assertEqual(shown.code, 0, shown.err)
        self.assertEqual([case["state"] for case in shown.json()["cases"]], ["failed"])
        self.refuse(1, ("report", self.out, "--format", "text", "--out", "/nowhere/x"), "/nowhere")
        self.assertEqual(program.stash("compare", self.out).code, 1)

    def test_a_damaged_plan_says_what_to_do(self):
        self.out.mkdir()
        (self.out / "battery.json").write_text("[]")
        self.refuse(1, ("report", self.out), "battery.json", "remove it")


if __name__ == "__main__":
    unittest.main()
