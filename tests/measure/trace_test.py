"""One window of each condition, span by span: what it holds agrees with what the window has in sum."""

import json
import unittest

import program
import spans

program.require_program()

import ledger  # noqa: E402

QUICK = ("--precision", "50%", "--max-time", "3s", "--batch", 4)


class Trace(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = program.Folder()
        cls.addClassCleanup(cls.folder.close)
        cls.data = cls.folder.images(128, "96x72")

    def traced(self, *arguments):
        _, profile = ledger.profile(self, self.folder, *QUICK, *arguments)
        spans.check_traces(self, profile)
        spans.check_file(self, profile, self.folder.path / "profile.json")
        return {trace["condition"]: trace for trace in profile["traces"]}

    def kinds(self, trace):
        return {span[0] for rank in trace["ranks"] for span in rank["host"]}

    def test_an_emulated_job_that_waits_for_its_input(self):
        traces = self.traced(*ledger.small_job(), "--data", self.data, "--workers", 1, "--inject", "prep=40ms/sample")
        compute = {"step", "forward", "backward", "optimizer"}
        self.assertEqual(self.kinds(traces["solo"]), compute)
        self.assertEqual(self.kinds(traces["apart"]), compute)
        self.assertEqual(self.kinds(traces["node"]), compute | {"collective"})
        self.assertEqual(self.kinds(traces["hot"]), compute | {"collective", "input_wait"})
        for rank in traces["hot"]["ranks"]:
            waited_s, all_s = (spans.sum_s(spans.of_kind(rank["host"], kind)) for kind in ("input_wait", "step"))
            self.assertGreater(waited_s, 0.1 * all_s)

    def test_a_real_network_on_the_cpu(self):
        traces = self.traced("--device", "cpu", "--model", "squeezenet1_0", "--image-size", 64, "--conditions", "apart,node",
                             "--ranks", 2)
        for rank in traces["node"]["ranks"]:
            for span in spans.of_kind(rank["host"], "collective"):
                self.assertEqual(span[4], "allreduce")
                self.assertGreater(span[3], 0)
            self.assertEqual(rank["device"], [], "the CPU is no device beside the host")

    def test_an_older_profile_has_none(self):
        path = self.folder.path / "old.json"
        profile = json.loads((program.ROOT / "docs/profiles/h200-resnet50-4-workers.json").read_text())
        del profile["traces"]
        path.write_text(json.dumps(profile))
        result = program.stash("report", path, "--format", "trace")
        self.assertEqual(result.code, 1)
        self.assertIn("made by an older Stash", result.err)


if __name__ == "__main__":
    unittest.main()
