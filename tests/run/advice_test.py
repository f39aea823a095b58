"""Lines of advice are carried out as they are given, on CPU ranks: each runs, and changes what it says it changes."""

import json
import unittest

import program
import script

program.require_program(extension=False)
ADVISED = script.SCRIPTS / "advised.py"
FLAGS = (*script.QUICK, "--conditions", "apart,node", "--no-work")
# Seconds of a step that are made up, so that no noise decides about a line: with its collectives, without any, without
# those of one group.
JOINED_S, APART_S = 0.15, 0.10
WITHOUT_S = {"tp": 0.11, "dp": 0.14}


def with_made_times(profile):
    """The same profile, as if communication took a third of each step."""
    def made(window, step_s, **changes):
        ranks = [{**rank, "wall_s": step_s * window["steps"]} for rank in window["ranks"]]
        return {**window, **changes, "ranks": ranks}

    joined = [window for window in profile["windows"] if window["condition"] == "node"]
    times = {"apart": APART_S, "node": JOINED_S}
    windows = [made(window, times[window["condition"]]) for window in profile["windows"]]
    variants = [made(window, WITHOUT_S[name], variant=f"off:{name}") for window in joined for name in WITHOUT_S
                if name in {group["name"] for group in profile["groups"]}]
    return {**profile, "windows": windows, "variant_windows": variants}


class Advice(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)

    def measured(self, kind, *arguments, ranks=2):
        """(lines by their action, bytes per step by kind of collective, profile)"""
        _, profile = script.run(self, self.folder, *script.ranks(ranks), ADVISED, "--kind", kind, *arguments, flags=FLAGS)
        (self.folder.path / "run.json").write_text(json.dumps(with_made_times(profile)))
        report = script.report(self, self.folder)
        first = report["first_step"]
        steps = [first, *first["alternatives"]] if first else []
        sent = {}
        for line in report["ledger"]["communication"]:
            for one in line["operations"]:
                sent[one["op"]] = sent.get(one["op"], 0) + one["bytes"]
        return {step["action"]: step["how"] for step in steps}, sent, profile

    def line(self, lines, beginning):
        found = [how for action, how in lines.items() if action.startswith(beginning)]
        self.assertEqual(len(found), 1, lines)
        return found[0]

    def test_parameters_of_fully_shard_are_gathered_once(self):
        lines, sent, profile = self.measured("fsdp")
        self.assertEqual(profile["script"]["wrappers"], ["FSDP"])
        self.assertFalse([how for how in lines.values() if "DistributedDataParallel" in how], lines)
        _, less, _ = self.measured("fsdp", "--build", self.line(lines, "keep parameters gathered"))
        self.assertLess(less["allgather"], 0.7 * sent["allgather"])
        _, two, _ = self.measured("fsdp", "--first-pass", self.line(lines, "accumulate"))
        self.assertLess(two["reduce_scatter"], 1.1 * sent["reduce_scatter"], "two passes scatter as much as one did")
        self.assertGreater(two["allgather"], 1.5 * sent["allgather"])

    def test_the_older_wrapper(self):
        lines, sent, profile = self.measured("fsdp1")
        self.assertEqual(profile["script"]["wrappers"], ["FSDP1"])
        _, less, _ = self.measured("fsdp1", "--build", self.line(lines, "keep parameters gathered"))
        self.assertLess(less["allgather"], 0.7 * sent["allgather"])
        _, two, _ = self.measured("fsdp1", "--first-pass", self.line(lines, "accumulate"))
        self.assertLess(two["reduce_scatter"], 1.1 * sent["reduce_scatter"])

    def test_gradients_of_distributed_data_parallel(self):
        lines, sent, profile = self.measured("ddp")
        self.assertEqual(profile["script"]["wrappers"], ["DDP"])
        self.assertFalse([how for how in lines.values() if "compress_hook" in how], "refused without CUDA and NCCL")
        _, two, _ = self.measured("ddp", "--first-pass", self.line(lines, "accumulate"))
        self.assertLess(two["allreduce"], 1.1 * sent["allreduce"], "two passes sum as much as one did")

    def test_ranks_of_a_mesh(self):
        lines, sent, _ = self.measured("mesh", ranks=4)
        _, less, profile = self.measured("mesh", "--build", self.line(lines, "train without tensor"), ranks=4)
        self.assertTrue(profile["complete"])
        self.assertLess(less.get("allreduce", 0), 0.5 * sent["allreduce"])


if __name__ == "__main__":
    unittest.main()
