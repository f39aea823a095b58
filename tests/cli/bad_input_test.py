"""What is wrong on the command line: the flag or the folder is named, with what would be right, before ranks start."""

import os
import pathlib
import unittest

import program

program.require_program(extension=False)

SKYPILOT_HEADER = (b"InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,"
                   b"AvailabilityZone\n")


class BadInput(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)

    def check(self, code, arguments, *said):
        # No interpreter: what is wrong has to be noticed before one is needed.
        run = program.Run(*arguments, cwd=self.folder.path, STASH_PYTHON="/no/such/python",
                          XDG_CACHE_HOME=self.folder.path / "cache", XDG_DATA_HOME=self.folder.path / "data")
        result = run.finish(30)
        self.assertEqual(result.code, code, result.err)
        self.assertTrue(result.err.startswith("stash: ") or "\nstash: " in result.err or "Kstash: " in result.err, result.err)
        for text in said:
            self.assertIn(text, result.err)
        self.assertEqual(result.out, "")
        self.assertEqual(run.survivors(), {})
        self.assertFalse((self.folder.path / "stash-profile.json").exists())

    def check_flags(self, *cases):
        for flags, *said in cases:
            with self.subTest(flags):
                self.check(2, ["profile", *flags], *said)

    def test_names_that_are_unknown_are_answered_with_the_nearest(self):
        self.check_flags(
            (["--model", "resnet51"], "resnet51", "'resnet50'"),
            (["--device", "emulated:V10"], "V10", "V100"),
            (["--device", "cude"], "cude", "'cuda'"),
            (["--dtype", "bf61"], "bf61", "bf16"),
            (["--conditions", "solo,appart"], "appart", "'apart'"),
            (["--inject", "prepp=5ms/sample"], "prepp", "'prep'"),
            (["--bacth", "4"], "--bacth", "'--batch'"),
            (["--format", "jsn"], "jsn", "'json'"))
        self.check(2, ["profil"], "profil", "'profile'")
        self.check(2, ["dataset", "mak", "x"], "mak", "'make'")
        self.check(2, ["models", "resnet51"], "'resnet50'")

    def test_a_study_says_what_is_wrong_before_it_measures(self):
        (self.folder.path / "broken").mkdir()
        (self.folder.path / "broken" / "resnet18.json").write_text("{")
        self.check(2, ["study"], "stash study --help")
        self.check(2, ["study", "layer"], "'layers'")
        self.check(2, ["study", "layers", "--models", "resnet18,resnet51"], "'resnet50'")
        self.check(2, ["study", "layers", "--models", "resnet18", "--held-out", "resnet18"], "resnet18 is both")
        self.check(2, ["study", "layers", "--format", "htlm"], "--format")
        self.check(2, ["study", "layers", "--from", "nowhere"], "nowhere", "no such file or folder")
        self.check(1, ["study", "layers", "--from", "broken"], "0 profiles to fit are too few", "resnet18.json")
        self.check(1, ["study", "layers", "--out", "broken/resnet18.json/x"], "cannot make the folder",
                   "15 models within 5 min (--max-time)")
        self.assertFalse((self.folder.path / "stash-study-layers").exists())

    def test_a_plan_says_which_flag_is_wrong_and_what_is_nearest(self):
        gpt = ["plan", "--model", "gpt:layers=48,hidden=8192,heads=64,seq=2048", "--global-batch", "1536", "--on",
               "p4d.24xlarge"]
        on_64 = [*gpt, "--nodes", "64"]
        layers = ["plan", "--model", "resnet50", "--on"]
        self.check(2, ["plan"], "--model NAME")
        self.check(2, ["plan", "--model", "resnet50"], "--on is missing")
        for devices, *said in (("4xV10", "'V10'", "'V100'"), ("p4d.24xlage", "'p4d.24xlarge'"), ("0xV100", "--on 0xV100"),
                               ("4xV100+", "64xTPUv2+64xTPUv3"), ("99999999999xT4", "1 to 131072"),
                               ("131072xT4+1xT4", "too many")):
            self.check(2, [*layers, devices], *said)
        self.check(2, [*layers, "2xp3.8xlarge", "--nodes", "2"], "--on 2xp3.8xlarge")
        self.check(2, [*layers, "4xV100", "--tensor", "2"], "--model gpt:")
        self.check(2, [*layers, "4xV100", "--network", "0Gbit/s"], "--network", "25Gbit/s")
        self.check(2, [*layers, "4xV100", "--dtype", "bf16"], "V100", "fp16")
        self.check(2, [*layers, "4xV100", "--levels", "3"], "--cost published")
        self.check(2, [*layers, "4xV100", "--cost", "publishd"], "'published'")
        self.check(2, [*layers, "4xV100", "--smallest-ratio", "0.7"], "0.5")
        self.check(1, ["plan", "--model", "resnet152", "--on", "2xV100", "--batch", "4096"], "lacks 4",
                   "it fits with --batch 160")
        self.check(1, gpt, "lacks 36 GB", "it fits on 2xp4d.24xlarge")
        self.check(2, [*on_64, "--tensor", "3"], "64 heads", "2 or 4")
        self.check(2, [*on_64, "--pipeline", "5"], "512 GPUs", "4 or 8")
        self.check(2, [*on_64, "--pipeline", "64"], "48 layers cannot fill 64")
        self.check(2, [*on_64, "--data", "7"], "512 GPUs", "4 or 8")
        self.check(2, [*on_64, "--data", "32", "--tensor", "4", "--pipeline", "8"], "1024 GPUs, and there are 512")
        self.check(2, [*on_64, "--data", "64", "--tensor", "16"], "do not divide 512 GPUs")
        self.check(2, [*on_64, "--micro-batch", "7"], "1533 and 1540")
        self.check(2, [*on_64, "--shards", "3"], "512 data-parallel ranks", "2 or 4")
        self.check(2, [*on_64, "--interleave", "5"], "48 layers", "4 or 6")
        self.check(2, [*on_64, "--recompute", "selectiv"], "'selective'")
        self.check(2, [*on_64, "--tensor", "0"], "--tensor 0")
        self.check(2, [*gpt[:-1], "64xTPUv3"], "64xTPUv3")

    def test_planning_a_fleet_says_what_cannot_be_met_or_rented(self):
        (self.folder.path / "load.csv").write_text("minute,requests\n0,600\n1,700\n")
        (self.folder.path / "ours.toml").write_text('[[machine]]\nname = "a"\nrequests_per_min = 9\n')
        plan = ["fleet", "plan", "--trace", "load.csv"]
        resnet = [*plan, "--model", "resnet50"]
        self.check(2, [*resnet, "--objective", "3ms"], "3.00 ms cannot be met", "the nearest that can be met is")
        self.check(2, [*resnet, "--objective", "200ms", "--on", "g4dn.xlarg"], "'g4dn.xlarge'")
        self.check(2, [*resnet], "--objective 200ms")
        self.check(2, [*resnet, "--objective", "200ms", "--meet", "120%"], "--meet 120%")
        self.check(2, [*plan, "--objective", "200ms"], "--model resnet50")
        self.check(2, [*plan, "--objective", "1s", "--market", "ours.toml"], "ours.toml, line 1: 'usd_per_hour' is missing")
        self.check(2, [*plan, "--objective", "1s", "--market", "mark-incepton"], "mark-incepton")
        self.check(1, ["fleet", "plan", "--model", "resnet50", "--objective", "200ms", "--trace", "nowhere.csv"], "nowhere.csv")

    def test_sharing_says_which_flag_or_profile_is_wrong(self):
        (self.folder.path / "broken.json").write_text("{")
        profile = str(program.ROOT / "docs" / "profiles" / "h200-resnet50-4-workers.json")
        self.check(2, ["share"], "stash share --help")
        self.check(2, ["share", "pln"], "'plan'")
        self.check(1, ["share", "plan", "broken.json"], "broken.json")
        self.check(1, ["share", "plan", "nowhere.json"], "nowhere.json")
        self.check(2, ["share", "plan", profile, profile, profile, "--cores", "2"], "3 jobs need at least 3 workers",
                   "--cores is 2")
        self.check(2, ["share", "plan", profile, "--cores", "0"], "--cores 0")
        self.check(2, ["share", "plan", profile, "--objective", "fairnes"], "'fairness'")
        self.check(2, ["share", "plan", profile, "--storage", "fast"], "--storage")
        self.check(2, ["share", "plan", profile, "--samples", "1,2"], "--samples has 2 numbers for 1 jobs")
        self.check(2, ["share", "plan", profile, "--samples", "many"], "not 'many'")
        (self.folder.path / "day.toml").write_text("[[job]]\nname = \"a\"\ncurve = \"brt\"\nsamples = 5\n")
        self.check(2, ["share", "simulate", "--jobs", "day.toml"], "day.toml, line 1", "'bert'")
        (self.folder.path / "day.toml").write_text("[[job]]\nname = \"a\"\ncurv = \"bert\"\n")
        self.check(2, ["share", "simulate", "--jobs", "day.toml"], "day.toml, line 3", "'curve'")
        self.check(1, ["share", "simulate", "--jobs", "nowhere.toml"], "nowhere.toml")
        self.check(2, ["share", "simulate", "--mix", "vison"], "'vision'")
        self.check(2, ["share", "simulate", "--gpus", "8", "--cores", "7"], "8 jobs of at least 1 workers need 8 cores")
        self.check(2, ["share", "simulate", "--days", "0"], "--days 0")

    def test_a_name_like_nothing_is_answered_with_what_there_is(self):
        self.check_flags((["--device", "toaster"], "cpu", "cuda", "emulated:H100"),
                         (["--conditions", "underwater"], "solo", "cold"))

    def test_values_that_do_not_parse_show_how_they_would(self):
        self.check_flags(
            (["--precision", "two"], "--precision", "2%"),
            (["--max-time", "5 parsecs"], "--max-time", "120s"),
            (["--timeout", "soon"], "--timeout", "120s"),
            (["--deadline", "soon"], "--timeout", "120s"),  # its old name
            (["--bucket", "25MX"], "--bucket", "GiB"),
            (["--batch", "many"], "--batch"),
            (["--inject", "read=fast"], "--inject read", "20MB/s"),
            (["--inject", "prep=5ms"], "prep=5ms/sample"),
            (["--inject", "link=0Gbit/s"], "link"),
            (["--inject", "read=1MB/s,"], "comma"),
            (["--usd-per-hour", "-3"], "--usd-per-hour"),
            (["--usd-per-hour", "abc"], "--usd-per-hour takes dollars", "'abc'"))

    def test_values_out_of_range_name_the_range(self):
        self.check_flags(
            (["--batch", "0"], "--batch 0", "1 to"),
            (["--ranks", "0"], "--ranks 0", "1 to"),
            (["--ranks", "99999"], "--ranks 99999"),
            (["--workers", "0"], "--workers 0"),
            (["--prefetch", "-1"], "--prefetch -1"),
            (["--image-size", "100000"], "--image-size 100000"),
            (["--bucket", "0"], "--bucket"))

    def test_flags_that_do_not_go_together_are_told(self):
        self.check_flags(
            (["--model", "resnet18", "--seq-len", "64"], "--seq-len", "images"),
            (["--model", "gpt2", "--image-size", "64"], "--image-size", "tokens"),
            (["--device", "cpu", "--dtype", "fp16"], "fp16", "bf16"),
            (["--ranks", "2", "--inject", "rank2=+3ms"], "rank2", "2 ranks"),
            (["--device", "cpu", "--conditions", "staged"], "staged"),
            (["--ranks", "1", "--conditions", "apart", "--device", "cpu"], "apart"))

    def test_a_batch_that_does_not_fit_says_how_much_memory_there_is(self):
        self.check(1, ["profile", "--device", "cpu", "--model", "resnet152", "--batch", 1 << 20], "resnet152", "available",
                   "--batch", "GB")

    def test_a_data_folder_that_cannot_be_used_says_what_is_wrong(self):
        (self.folder.path / "empty").mkdir()
        (self.folder.path / "flat").mkdir()
        (self.folder.path / "flat" / "picture.jpg").write_bytes(b"x")
        (self.folder.path / "no pictures" / "class").mkdir(parents=True)
        (self.folder.path / "file").write_bytes(b"x")
        emulated = ["profile", "--device", "emulated:V100", "--data"]
        for name in ("missing", "empty", "flat", "no pictures", "file"):
            with self.subTest(name):
                self.check(1, [*emulated, name], f"'{name}'", "stash dataset make")
        self.check(1, ["profile", "--device", "emulated:V100", "--model", "gpt2", "--data", "empty"], "empty")
        self.check(1, ["profile", "--device", "emulated:V100", "--model", "gpt2", "--data", "file"], "file")

    def test_a_data_folder_that_may_not_be_read_is_named(self):
        if os.geteuid() == 0:
            self.skipTest("root may read everything")
        (self.folder.path / "secret").mkdir(mode=0)
        self.check(1, ["profile", "--device", "emulated:V100", "--data", "secret"], "secret", "ermission")

    def test_an_output_that_cannot_be_written_is_told_before_anything_is_measured(self):
        self.check(1, ["profile", "--out", "missing/profile.json"], "missing", "--out")
        (self.folder.path / "folder").mkdir()
        self.check(2, ["profile", "--out", "folder"], "--out folder")

    def test_without_an_interpreter_it_says_how_to_name_one(self):
        self.check(2, ["profile", "--device", "emulated:V100", "--conditions", "solo"], "/no/such/python")

    def test_a_profile_that_cannot_be_read_is_told(self):
        path = pathlib.Path(self.folder.path / "p.json")
        self.check(1, ["report", "missing.json"], "missing.json")
        for content, said in ((b"", "p.json"), (b"{", "p.json"), (b"[1]", "p.json"), (b"\x00\xff", "p.json"),
                              (b'{"schema_version": 99}', "99")):
            path.write_bytes(content)
            with self.subTest(content):
                self.check(1, ["report", "p.json"], said)

    def test_an_instance_that_is_unknown_is_answered_with_the_nearest(self):
        self.check(2, ["catalog", "show", "p3.8xlarg"], "p3.8xlarg", "'p3.8xlarge'")
        self.check(2, ["catalog", "show", "toaster"], "toaster", "stash catalog list")
        self.check(2, ["catalog", "list", "--gpu", "v10"], "V10", "'V100'")
        self.check(2, ["catalog", "list", "--cloud", "aww"], "'aws'")
        self.check(2, ["catalog", "lst"], "lst", "'list'")
        self.check(2, ["catalog", "add", "--this-machine", "--gpu", "V10"], "V10", "'V100'")
        self.check(2, ["catalog", "add", "--this-machine", "--name", "p3.2xlarge"], "p3.2xlarge", "--name")
        self.check(2, ["catalog", "add", "--this-machine", "--usd-per-hour", "0"], "--usd-per-hour")
        self.check(2, ["catalog", "add", "--this-machine", "--usd-per-hour", "3eur"], "--usd-per-hour takes dollars", "5usd")
        self.check(1, ["catalog", "add", "--this-machine", "--profile", "missing.json"], "missing.json")

    def test_a_catalogue_that_cannot_be_imported_says_why(self):
        file = self.folder.path / "vms.csv"
        self.check(1, ["catalog", "import", "--skypilot", "vms.csv"], "vms.csv")
        self.check(1, ["catalog", "import", "--skypilot", "."], "not a file")
        for content, said in ((b"", "empty"), (b"a,b\n1,2\n", "'InstanceType'"), (b"\x00\xff" * 100_000, "longer"),
                              (SKYPILOT_HEADER, "no machine with GPUs"),
                              (SKYPILOT_HEADER + b"x,V100,1,8,61,,-3,,us-east-1,a\n", "'x' is left out: Price is")):
            file.write_bytes(content)
            with self.subTest(content[:20]):
                self.check(1, ["catalog", "import", "--skypilot", "vms.csv"], "vms.csv", said)
        file.write_bytes(SKYPILOT_HEADER + b"x,V100,1,8,61,,3,,us-east-1,a\n")
        self.check(2, ["catalog", "import", "--skypilot", "vms.csv", "--date", "yesterday"], "--date", "2026-08-22")
        self.check(2, ["catalog", "import", "--skypilot", "vms.csv", "--region", "us-east-2"], "'us-east-1'")
        self.assertFalse((self.folder.path / "data").exists())

    def test_a_row_of_a_catalogue_with_a_bad_figure_is_named_and_the_others_are_used(self):
        (self.folder.path / "vms.csv").write_bytes(
            SKYPILOT_HEADER + b"good,V100,1,8,61,,3,,us-east-1,a\nnone,V100,1,8,61,,,,us-east-1,a\n"
            b"zero,V100,1,8,61,,0,,us-east-1,a\nless,V100,1,-8,61,,3,,us-east-1,a\n")
        data = self.folder.path / "data"
        imported = program.stash("catalog", "import", "--skypilot", "vms.csv", "--cloud", "mine", cwd=self.folder.path,
                                 XDG_DATA_HOME=data)
        self.assertEqual(imported.code, 0, imported.err)
        for said in ("'none' is left out: Price is missing", "'zero' is left out: Price is '0'",
                     "'less' is left out: vCPUs is '-8'"):
            self.assertIn(said, imported.err)
        (data / "stash" / "catalog" / "more.csv").write_text(
            "name,cloud,gpu,gpus,usd_per_h\nfine,mine,T4,1,0.5\nfree,mine,T4,1,0\nlost,mine,T4,,0.5\n")
        listed = program.stash("catalog", "list", "--cloud", "mine", "--format", "json", XDG_DATA_HOME=data)
        self.assertEqual(listed.code, 0, listed.err)
        self.assertEqual({row["name"] for row in listed.json()["instances"]}, {"good", "fine"})
        self.assertIn("'free' is left out: usd_per_hour is 0", listed.err)
        self.assertIn("'lost' is left out: gpus is missing", listed.err)

    def test_a_word_too_many_is_told(self):
        self.check(2, ["profile", "resnet50"], "resnet50", "too many")
        self.check(2, ["profile", "--batch"], "--batch")
        self.check(2, [], "profile", "report")


if __name__ == "__main__":
    unittest.main()
