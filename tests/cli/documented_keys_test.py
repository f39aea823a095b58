"""The JSON that reports print has the keys that their pages name, and no others.

Keys of profiles and instances need no such test: their tables are generated."""

import json
import re
import unittest

import made_profile
import program

program.require_program(extension=False)

# Documents of other pages, and objects whose keys are names.
ELSEWHERE = {"job", "machine", "jobs", "tool"}
NAMED = {"parts", "step_by_condition", "absent", "versions"}
TRAINING = ("--model", "resnet50", "--batch", "64", "--on", "p3.16xlarge,p2.xlarge", "--nodes", "1")

INPUT = ("--samples", "1000", "--sample-bytes", "110kB", "--sample-cpu", "5ms")
TRACE = [{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 9, "ts": 0, "dur": 100},
         {"ph": "X", "cat": "kernel", "name": "ampere_sgemm_128x64_nn", "pid": 0, "ts": 10, "dur": 60}]


def keys_of(value):
    """Every key inside a document, at any depth."""
    found = set()
    if isinstance(value, list):
        for element in value:
            found |= keys_of(element)
    elif isinstance(value, dict):
        for key, inner in value.items():
            found.add(key)
            if key in NAMED and isinstance(inner, dict):
                for one in inner.values():
                    found |= keys_of(one)
            elif key not in ELSEWHERE:
                found |= keys_of(inner)
    return found


def section(page, heading):
    text = (program.ROOT / "docs" / "cli" / page).read_text()
    return re.search(rf"^## {heading}$(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE).group(1)


def named_keys(text):
    """Identifiers in code: `key`, `outer.key`, and {"key": ...}."""
    found = set()
    for code in re.findall(r"`([^`]+)`", text):
        if re.fullmatch(r"[a-z][a-z0-9_.]*", code):
            found |= set(code.split("."))
        found |= set(re.findall(r'"([a-z0-9_]+)"', code))
    return found


class DocumentedKeys(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = program.Folder()
        cls.addClassCleanup(cls.folder.close)
        cls.profile = cls.folder.path / "profile.json"
        cls.profile.write_text(json.dumps(made_profile.made_profile()))

    def printed(self, *arguments):
        result = program.stash(*arguments, "--format", "json")
        self.assertEqual(result.code, 0, result.err)
        return keys_of(result.json())

    def check(self, printed, page, heading="JSON", more=()):
        """Rows of the page's tables begin with keys; those of other pages that it points to are `more`."""
        text = section(page, heading)
        documented = named_keys(text)
        for other, its_heading in more:
            documented |= named_keys(section(other, its_heading))
        first = named_keys(" ".join(row.split("|")[1] for row in text.splitlines() if row.startswith("| `")))
        self.assertEqual(sorted(printed - documented), [], f"docs/cli/{page} does not name these keys")
        self.assertEqual(sorted(first - printed), [], f"docs/cli/{page} names keys that are not printed")

    def test_of_a_sharing_plan(self):
        result = program.stash("share", "plan", self.profile, "--cores", "16", "--format", "json")
        plan = result.json()
        self.check(keys_of(plan) | keys_of(plan["jobs"]) | keys_of(plan["tool"]), "share.md")

    def test_of_plans(self):
        devices = ("--batch", "64", "--on", "2xV100+2xT4", "--network", "25Gbit/s")
        layers = program.stash("plan", "--model", "alexnet", *devices, "--format", "json").json()
        for key in ("memory_bytes", "baseline_plans"):  # whose keys are names
            for plan in layers["plans"]:
                plan[key] = None
        published = self.printed("plan", "--model", "alexnet", "--cost", "published", "--levels", "2")
        language = self.printed("plan", "--model", "gpt:layers=4,hidden=2048,heads=16,seq=1024,vocab=500000", "--batch", "8",
                                "--on", "p3.8xlarge")
        self.check(keys_of(layers) | published | language, "plan.md", more=[("report.md", "JSON")])

    def test_of_a_report(self):
        self.check(self.printed("report", self.profile, "--usd-per-hour", "24.48"), "report.md")

    def test_of_a_difference(self):
        self.check(self.printed("diff", self.profile, self.profile, "--fail-over", "3%"), "diff.md", "JSON and CSV",
                   more=[("report.md", "JSON")])

    def test_of_a_prediction(self):
        split = self.printed("predict", "--model", "gpt:layers=4,hidden=64,heads=4,seq=64", "--tensor", "2", "--on", "p3.8xlarge")
        self.check(self.printed("predict", *TRAINING, "--set", "network=100Gbit/s", *INPUT) | split, "predict.md",
                   more=[("report.md", "JSON")])

    def test_of_advice(self):
        self.check(self.printed("advise", *TRAINING[:-2], "--epochs", "90", "--samples", "1000", "--spot"), "advise.md",
                   more=[("report.md", "JSON"), ("predict.md", "JSON")])

    def folder_of_a_battery(self, name):
        folder = self.folder.path / name
        (folder / "cases").mkdir(parents=True)
        (folder / "cases" / "one.json").write_text(self.profile.read_text())
        return folder

    def test_of_a_comparison_of_machines(self):
        folders = [self.folder_of_a_battery(name) for name in ("cheap", "dear")]
        printed = self.printed("compare", *folders, "--usd-per-hour", "3.60,12.24", "--epochs", "3", "--on", "p3.2xlarge")
        self.check(printed, "compare.md")

    def test_of_a_battery(self):
        printed = self.printed("report", self.folder_of_a_battery("vm"), "--usd-per-hour", "3.60")
        self.check(printed, "characterize.md", more=[("report.md", "JSON")])

    def test_of_models_and_their_layers(self):
        printed = self.printed("models") | self.printed("models", "resnet18")
        self.check(printed, "models.md", "What the columns mean")

    def test_of_a_replayed_fleet(self):
        trace = self.folder.path / "load.csv"
        trace.write_text("minute,requests\n0,600\n1,700\n2,650\n")
        found = program.stash("fleet", "replay", "--trace", trace, "--market", "mark-inception", "--objective", "500ms",
                              "--policy", "mark,peak", "--format", "json").json()
        for policy in found["policies"]:
            for by_type in (policy, policy["series"]):
                for key in ("machine_hours", "machine_usd", "spot_hours", "machines"):  # whose keys are names
                    by_type.pop(key, None)
        self.check(keys_of(found) | keys_of(found["tool"]) | {"machine_hours", "machine_usd", "spot_hours"}, "fleet.md",
                   "JSON of a replay")

    def test_of_a_planned_fleet(self):
        trace = self.folder.path / "load.csv"
        trace.write_text("minute,requests\n" + "".join(f"{minute},{3000 + minute}\n" for minute in range(130)))
        found = program.stash("fleet", "plan", "--trace", trace, "--market", "mark-inception", "--objective", "1s",
                              "--format", "json").json()
        for hour in found["hours"]:
            hour["machines"] = list(hour["machines"].values())  # whose keys are names
        self.check(keys_of(found) | keys_of(found["tool"]), "fleet.md", "JSON of a plan")

    def test_of_an_imported_trace(self):
        trace = self.folder.path / "trace.json"
        trace.write_text(json.dumps(TRACE))
        self.check(self.printed("import", trace), "import.md")


if __name__ == "__main__":
    unittest.main()
