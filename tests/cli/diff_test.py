"""`stash diff` and the formats of `stash report` through the program."""

import json
import random
import unittest

import program

program.require_program(extension=False)
CHAIN = {"solo": 0.1, "apart": 0.005, "node": 0.03, "hot": 0.0, "cold": 0.01}


def profile(seed, noise_s=0.0005, rounds=8, job=None, **added_s):
    """A profile of two ranks on one node whose parts are known."""
    chance = random.Random(seed)
    windows = []
    for number in range(rounds):
        step_s = 0
        for condition, part_s in CHAIN.items():
            step_s += part_s + added_s.get(condition, 0)
            sample = {"wall_s": 4 * (step_s + chance.gauss(0, noise_s)), "input_wait_s": 0, "collective_s": 0, "behind_s": None}
            windows.append({"round": number, "condition": condition, "steps": 4, "ranks": [sample, None if condition == "solo" else sample],
                            "resident_ratio": None, "queued_start_samples": None, "queued_end_samples": None})
    machine = {"hostname": "a", "cpu": "Some CPU", "cores": 2, "memory_bytes": 0, "gpus": [], "kernel": "", "disk": None, "versions": {}}
    return {"schema_version": 1, "job": {"model": "resnet18", "batch": 32, "ranks": 2, **(job or {})}, "machine": machine,
            "windows": windows, "edge_s": 0, "clocks_s": None, "layers": [], "buckets": [], "collectives": [], "inputs": [],
            "dataset_samples": None, "dataset_bytes": None, "cache_bytes": None, "loss": None, "stopped_by": "precision",
            "complete": True, "elapsed_s": 1, "stolen_ratio": None, "warnings": []}


class Diff(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)
        self.write("before", profile(1))
        self.write("same", profile(2))
        self.write("slower", profile(3, node=0.006))

    def write(self, name, content):
        (self.folder.path / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")

    def call(self, *arguments, code=0):
        result = program.Run(*arguments, cwd=self.folder.path).finish(30)
        self.assertEqual(result.code, code, result.err + result.out)
        return result

    def diff(self, before, after, *flags, code=0):
        return self.call("diff", f"{before}.json", f"{after}.json", *flags, code=code)

    def test_a_slowdown_is_the_first_line_and_fails_the_gate(self):
        for flags, code in (([], 0), (["--fail-over", "3%"], 1), (["--fail-over", "0.03"], 1), (["--fail-over", "10%"], 0)):
            first = self.diff("before", "slower", *flags, code=code).out.splitlines()[0]
            self.assertRegex(first, r"^after is [34]\.\d % slower \(.* to .* %\): interconnect \+\d")

    def test_no_difference_and_an_improvement_pass(self):
        self.assertTrue(self.diff("before", "same", "--fail-over", "3%").out.startswith("no real difference"))
        self.assertRegex(self.diff("slower", "before", "--fail-over", "3%").out, r"^after is \d\.\d % faster")
        self.assertIn("one and the same", self.diff("before", "before", "--fail-over", "0%").out)

    def test_json_says_what_is_over_the_limit(self):
        shown = json.loads(self.diff("before", "slower", "--fail-over", "3%", "--format", "json", code=1).out)
        self.assertEqual(shown["over_limit"], ["step", "interconnect"])
        self.assertAlmostEqual(sum(part["change"]["s"] for part in shown["parts"].values() if part["change"]),
                               shown["step"]["change"]["s"], places=9)
        self.assertIsNone(json.loads(self.diff("before", "slower", "--format", "json").out)["over_limit"])

    def test_the_page_is_written_even_when_the_gate_fails(self):
        self.diff("before", "slower", "--fail-over", "3%", "--format", "markdown", "--out", "comment.md", code=1)
        self.assertIn("| **interconnect** |", (self.folder.path / "comment.md").read_text(encoding="utf-8"))

    def test_other_jobs_are_refused_unless_forced(self):
        self.write("other", profile(4, job={"batch": 64, "dtype": "bf16"}))
        refused = self.diff("before", "other", code=2)
        for said in ("batch (32, then 64)", "dtype (fp32, then bf16)", "--force"):
            self.assertIn(said, refused.err)
        self.assertEqual(refused.out, "")
        self.assertIn("warning: not the same job: batch was 32, is 64", self.diff("before", "other", "--force").out)

    def test_every_reason_is_named(self):
        changes = {"model": "vgg11", "batch": 64, "image_size": 96, "device": "emulated:V100", "dtype": "bf16", "ranks": 4,
                   "data": "x" * 10000}
        other = profile(4, job=changes)
        other["machine"]["gpus"] = [{"name": "A100", "memory_bytes": None}]
        other["places"] = [{"host": "a", "node": 0}, {"host": "b", "node": 1}]
        self.write("other", other)
        refused = self.diff("before", "other", code=2).err
        for said in ("model (", "batch (", "image size (", "device (", "dtype (", "ranks (", "nodes (1, then 2)", "GPUs (none, then A100)",
                     "data (none, then xxx", "--force compares"):
            self.assertIn(said, refused)
        self.assertLess(len(refused), 1500)
        self.diff("before", "other", "--force")

    def test_profiles_of_a_script_are_one_job_by_their_command(self):
        script = {"model": "train.py", "batch": 0, "command": ["torchrun", "train.py", "--lr", "1"]}
        self.write("first", profile(1, job=script))
        self.write("second", profile(2, job=script))
        self.write("other", profile(3, job={**script, "command": ["torchrun", "train.py", "--lr", "2"]}))
        self.diff("first", "second")
        self.assertIn("command (torchrun train.py --lr 1, then torchrun train.py --lr 2)", self.diff("first", "other", code=2).err)

    def test_a_noisy_pair_says_what_it_can_find(self):
        self.write("noisy", profile(7, noise_s=0.012))
        self.write("noisy_too", profile(8, noise_s=0.012))
        self.assertRegex(self.diff("noisy", "noisy_too", "--fail-over", "1%").out, r"only a change of \d+\.\d % is surely found")

    def test_other_settings_and_machines_are_a_warning(self):
        moved = profile(5, job={"workers": 8})
        moved["machine"]["hostname"] = "b"
        self.write("moved", moved)
        shown = self.diff("before", "moved").out
        self.assertIn("warning: differs too: workers was 1, is 8", shown)
        self.assertIn("warning: differs too: host was a, is b", shown)

    def test_bad_input(self):
        self.write("short", profile(1, rounds=1))
        for code, arguments, *said in (
                (2, ["diff", "before.json"], "after"),
                (2, ["diff", "before.json", "same.json", "--fail-over", "much"], "--fail-over", "2%"),
                (2, ["diff", "before.json", "same.json", "--format", "markdwn"], "'markdown'"),
                (1, ["diff", "before.json", "none.json"], "none.json"),
                (1, ["diff", "before.json", "short.json"], "short.json", "1 complete rounds"),
                (1, ["diff", "before.json", "none.json", "--force"], "none.json")):
            with self.subTest(arguments):
                result = self.call(*arguments, code=code)
                for text in said:
                    self.assertIn(text, result.err)
                self.assertEqual(result.out, "")

    def test_reports_in_markdown_and_openmetrics(self):
        self.assertIn("| interconnect | ", self.call("report", "before.json", "--format", "markdown").out)
        metrics = self.call("report", "before.json", "--format", "openmetrics").out
        self.assertIn('part="interconnect"} 0.03', metrics)
        self.assertTrue(metrics.endswith("# EOF\n"))

    def test_hostile_names_come_out_as_text(self):
        name = "<img src=x onerror=alert(1)>|`\x1b[31m\n# @all" + 3000 * "y"
        hostile = profile(6, job={"model": name})
        hostile["machine"]["hostname"] = name
        self.write("hostile", hostile)
        for arguments in (["diff", "before.json", "hostile.json", "--force"], ["report", "hostile.json"]):
            for form in ("text", "markdown", "json", "csv", "html"):
                shown = self.call(*arguments, "--format", form).out
                self.assertNotIn("\x1b", shown)
                self.assertNotIn("\n# ", shown)
                if form == "html":
                    self.assertNotIn("<img", shown)
        refused = self.diff("before", "hostile", code=2).err
        self.assertNotIn("\x1b", refused)


if __name__ == "__main__":
    unittest.main()
