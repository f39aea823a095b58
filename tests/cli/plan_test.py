"""`stash plan` through the program: layer-wise plans and those of language models, what they say and what they are
compared with."""

import json
import math
import unittest

import program

program.require_program(extension=False)

GPT = "gpt:layers=48,hidden=8192,heads=64,seq=2048"
LANGUAGE = ("plan", "--model", GPT, "--global-batch", 1536, "--on", "p4d.24xlarge", "--nodes", 64)
MIXED = ("plan", "--model", "resnet50", "--batch", 256, "--on", "4xV100+4xT4", "--network", "25Gbit/s")
TPUS = ("--batch", 512, "--on", "64xTPUv2+64xTPUv3")
# What the published program prints, level by level: 0 = I, 1 = II, 2 = III.
GOLDEN = {
    "alexnet": ("00000121 00000211 00000121 00000212 00000121 00021212 00001121",
                "00000111 00000111 00000111 00000100 00000111 00001000 00011111"),
    "vgg11": ("00000000121 00000000121 00000000112 00000000211 00000001212 00000021121 00002112121",
              "00000000111 00000000111 00000000111 00000000100 00000000111 00000001100 00000011011"),
}


def digits(levels):
    return " ".join("".join(str(layer["type"] - 1) for layer in level) for level in levels)


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


class Plan(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)

    def call(self, *arguments, code=0):
        result = program.Run(*arguments, cwd=self.folder.path, XDG_DATA_HOME=self.folder.path / "data").finish(60)
        self.assertEqual(result.code, code, result.err + result.out)
        return result

    def json(self, *arguments):
        return json.loads(self.call(*arguments, "--format", "json").out)

    def test_the_published_cost_gives_the_published_plans(self):
        for model, (accpar, hypar) in GOLDEN.items():
            plan = self.json("plan", "--model", model, "--batch", 512, "--cost", "published", "--levels", 7)["plans"][0]
            self.assertEqual(digits(plan["levels"]), accpar)
            self.assertEqual(digits(plan["baseline_plans"]["hypar"]), hypar)
            self.assertIsNone(plan["step_s"])

    def test_the_published_comparison_is_met_within_12_percent(self):
        speeds = {"owt": [], "hypar": []}
        for model in ("alexnet", "vgg11", "vgg13", "vgg16", "vgg19", "resnet18", "resnet34", "resnet50"):
            baselines = self.json("plan", "--model", model, *TPUS)["plans"][0]["baselines"]
            for name, ratios in speeds.items():
                ratios.append(baselines["data"] / baselines[name])
        self.assertLess(abs(mean(speeds["owt"]) / 2.98 - 1), 0.12)
        self.assertLess(abs(mean(speeds["hypar"]) / 3.78 - 1), 0.12)

    def test_devices_that_are_better_left_out_are_named(self):
        arguments = ("plan", "--model", "vgg16", *TPUS)
        found = self.json(*arguments)
        self.assertEqual(found["left_out"], ["64xTPUv2"])
        self.assertLess(found["plans"][0]["baselines"]["fast_only"], found["plans"][0]["step_s"])
        self.assertIn("64xTPUv3 alone is fastest, leave out 64xTPUv2", self.call(*arguments).out.splitlines()[0])

    def test_every_level_has_every_layer_and_parts_sum_to_the_step(self):
        found = self.json(*MIXED)
        best, second = found["plans"]
        layers = [layer["layer"] for layer in best["layers"]]
        self.assertEqual(len(best["levels"]), 3)
        for level in best["levels"]:
            self.assertEqual([split["layer"] for split in level], layers)
            for split in level:
                self.assertIn(split["type"], (1, 2, 3))
                self.assertTrue(0 < split["ratio"] < 1)
        self.assertGreater(best["levels"][0][0]["ratio"], 0.6)  # V100s get more than T4s
        parts = [part["s"] for part in best["ledger"]["parts"].values() if part]
        self.assertAlmostEqual(sum(parts), best["step_s"], places=9)
        self.assertLess(best["low_s"], best["step_s"])
        self.assertLess(best["step_s"], best["high_s"])
        self.assertGreaterEqual(second["step_s"], best["step_s"])
        for step_s in best["baselines"].values():
            self.assertGreaterEqual(step_s, best["step_s"])
        self.assertEqual(found["left_out"], [])
        self.assertEqual({worth["resource"] for worth in found["worth"]}, {"network", "links", "memory", "devices"})

    def test_a_slower_network_costs_time(self):
        step_s = [self.json(*MIXED[:-1], rate)["plans"][0]["step_s"] for rate in ("100Gbit/s", "25Gbit/s", "1Gbit/s")]
        self.assertEqual(step_s, sorted(step_s))
        self.assertLess(step_s[0], step_s[2])

    def test_data_parallel_steps_are_those_of_predict(self):
        predicted = self.json("predict", "--model", "resnet50", "--batch", 64, "--dtype", "fp16", "--on", "p3.8xlarge")
        predicted_s = predicted["predictions"][0]["ledger"]["step"]["s"]
        planned = self.json("plan", "--model", "resnet50", "--batch", 256, "--dtype", "fp16", "--on", "p3.8xlarge")
        self.assertLess(abs(planned["plans"][0]["baselines"]["data"] / predicted_s - 1), 0.15)

    def test_data_parallel_steps_over_an_odd_number_of_nodes_are_those_of_predict(self):
        predicted = self.json("predict", "--model", "vit_b_16", "--batch", 16, "--dtype", "fp16", "--on", "g4dn.12xlarge",
                              "--nodes", 3)
        predicted_s = predicted["predictions"][0]["ledger"]["step"]["s"]
        planned = self.json("plan", "--model", "vit_b_16", "--batch", 192, "--dtype", "fp16", "--on", "3xg4dn.12xlarge")
        self.assertLess(abs(planned["plans"][0]["baselines"]["data"] / predicted_s - 1), 0.15)

    def test_machines_are_counted_as_they_were_asked_for(self):
        arguments = ("plan", "--model", "vit_b_16", "--batch", 256, "--on", "2xp3.16xlarge+3xg4dn.12xlarge")
        found = self.json(*arguments)
        self.assertEqual(found["left_out"], ["3xg4dn.12xlarge"])
        self.assertEqual(found["plans"][0]["level_names"][:2],
                         ["2xp3.16xlarge | 3xg4dn.12xlarge",
                          "16 GPUs of p3.16xlarge in halves, 12 GPUs of g4dn.12xlarge in halves"])
        self.assertIn("1 more p3.16xlarge", [worth["more"] for worth in found["worth"]])

    def test_a_step_that_is_planned_is_the_one_that_is_predicted_for_the_same_split(self):
        gpt = "gpt:layers=24,hidden=2048,heads=16,seq=1024"
        on = ("--global-batch", 64, "--on", "p4d.24xlarge", "--nodes", 2)
        for plan in self.json("plan", "--model", gpt, *on, "--top", 3)["plans"]:
            flags = [f"--{'' if plan[key] else 'no-'}{key.replace('_', '-')}" for key in ("sequence_parallel", "shard_optimizer")]
            for key in ("data", "tensor", "pipeline", "shards", "micro_batch", "interleave", "recompute"):
                flags += [f"--{key.replace('_', '-')}", plan[key]]
            if plan["tensor"] == 1:
                flags.remove("--no-sequence-parallel")
            predicted, = self.json("predict", "--model", gpt, *on, *flags)["predictions"]
            self.assertAlmostEqual(predicted["ledger"]["step"]["s"], plan["step_s"], places=9)

    def test_what_cannot_be_is_said_with_the_nearest_that_can(self):
        gpt = ("plan", "--model", "gpt:layers=24,hidden=2048,heads=16,seq=1024", "--on", "p4d.24xlarge", "--global-batch")
        large = ("plan", "--model", "gpt:layers=48,hidden=8192,heads=64,seq=2048", "--global-batch", 64, "--on")
        for code, arguments, sentence in (
                (2, (*gpt, 64, "--tensor", 3), "16 heads cannot be split over 3 tensor-parallel ranks: the nearest numbers that divide are 2 or 4"),
                (2, (*gpt, 64, "--shards", 4, "--tensor", 8), "1 data-parallel rank cannot be split over 4 shards: the nearest number that divides is 1"),
                (2, (*gpt, 63, "--data", 8), "the nearest multiples are 56 and 64"),
                (2, (*gpt, 64, "--tensor", 1, "--sequence-parallel"), "--tensor 1 has none"),
                (2, (*gpt, 64, "--data", 2, "--tensor", 2, "--pipeline", 1), "are 4 GPUs, and there are 8"),
                (1, (*large, "2xg4dn.xlarge"), "lacks 297 GB of memory per GPU; it fits on 48xg4dn.xlarge"),
                (1, ("plan", "--model", "vgg16", "--batch", 100000, "--on", "2xT4"), "a device lacks 3.8 TB of memory; it fits with --batch 4"),
                (2, ("plan", "--model", "vgg16", "--on", "4xV10"), "did you mean 'V100'?")):
            result = self.call(*arguments, code=code)
            self.assertIn(sentence, result.err)
            self.assertEqual(len(result.err.splitlines()), 1, result.err)

    def test_a_profile_replaces_the_estimate(self):
        profile = program.ROOT / "docs/profiles/h200-resnet50-4-workers.json"
        measured = self.json("plan", profile, "--batch", 512, "--on", "8xH200")
        estimated = self.json("plan", "--model", "resnet50", "--batch", 512, "--dtype", measured["dtype"], "--on", "8xH200")
        self.assertNotEqual(measured["plans"][0]["step_s"], estimated["plans"][0]["step_s"])
        width = [plan["plans"][0]["high_s"] / plan["plans"][0]["low_s"] for plan in (measured, estimated)]
        self.assertLess(*width)

    def test_plans_of_a_language_model_come_best_first(self):
        found = self.json(*LANGUAGE)
        steps = [plan["step_s"] for plan in found["plans"]]
        self.assertEqual(steps, sorted(steps))
        for plan in found["plans"]:
            self.assertEqual(plan["data"] * plan["tensor"] * plan["pipeline"], 512)
            self.assertEqual(plan["data"] * plan["micro_batch"] * plan["micro_batches"], 1536)
            self.assertTrue(plan["low_s"] < plan["step_s"] < plan["high_s"])
            self.assertLess(plan["memory_bytes"], 43e9)
            parts = [part["s"] for part in plan["ledger"]["parts"].values() if part]
            self.assertAlmostEqual(sum(parts), plan["step_s"], places=9)
            communication = plan["ledger"]["communication"]
            self.assertLessEqual({line["group"] for line in communication},
                                 {"data", "tensor", "pipeline", "shards", "bubble"})
            exchanged_s = sum(plan["ledger"]["parts"][name]["s"] for name in ("interconnect", "network"))
            self.assertAlmostEqual(sum(line["s"] for line in communication), exchanged_s, places=9)
        for rejected in found["rejected"]:
            self.assertGreater(rejected["missing_bytes"], 0)

    def test_what_is_given_of_a_plan_is_kept(self):
        found = self.json(*LANGUAGE, "--tensor", 8, "--pipeline", 8, "--micro-batch", 1, "--recompute", "full",
                          "--no-shard-optimizer", "--no-sequence-parallel", "--interleave", 1)
        plan, = found["plans"]
        self.assertEqual([plan[key] for key in ("data", "tensor", "pipeline", "micro_batch", "recompute", "interleave")],
                         [8, 8, 8, 1, "full", 1])
        self.assertFalse(plan["shard_optimizer"] or plan["sequence_parallel"])
        self.assertGreater(plan["step_s"], self.json(*LANGUAGE)["plans"][0]["step_s"])

    def test_mixed_machines_get_stages_of_unequal_depth(self):
        found = self.json("plan", "--model", "gpt:layers=24,hidden=2048,heads=16,seq=1024", "--global-batch", 64, "--on",
                          "2xp3.16xlarge+2xp4d.24xlarge", "--pipeline", 4, "--tensor", 8, "--dtype", "fp16")
        plan = found["plans"][0]
        self.assertEqual(sum(plan["stage_layers"]), 24)
        self.assertLess(plan["stage_layers"][0], plan["stage_layers"][3])  # V100s first
        self.assertEqual({baseline["name"] for baseline in found["baselines"]},
                         {"data parallel", "fully sharded", "2xp3.16xlarge alone", "2xp4d.24xlarge alone"})

    def test_the_picture_has_a_strip_for_every_level_of_every_row_of_layers(self):
        page = self.call(*MIXED, "--format", "html").out
        self.assertLess(len(page), 400_000)
        rows = [line for line in self.call(*MIXED).out.splitlines() if " I 0." in line or " II 0." in line or " III 0." in line]
        strips = 2 + 4 + 8  # parts at each of three levels, over both kinds
        self.assertEqual(page.count("<title>level "), strips * len(rows))
        for colour, name in (("series-1", "I: batch"), ("series-2", "II: input channels"), ("series-3", "III: output channels")):
            self.assertIn(f'class="{colour}"', page)
            self.assertIn(name, page)
        stages = self.call(*LANGUAGE, "--format", "html").out
        self.assertEqual(stages.count("handed on and back per step</title>"), self.json(*LANGUAGE)["plans"][0]["pipeline"])

    def test_pages_begin_with_the_plan(self):
        lines = self.call(*LANGUAGE).out.splitlines()
        self.assertIn("64xp4d.24xlarge (512 GPUs): data ", lines[0])
        self.assertTrue(any(line.startswith("what binds: ") for line in lines))
        self.assertTrue(any(line.startswith("network, 100 Gbit/s more of each node: saves") for line in lines))
        out = self.folder.path / "plan.txt"
        self.assertEqual(self.call(*LANGUAGE, "--out", out).out, "")
        self.assertIn("what binds: ", out.read_text())


if __name__ == "__main__":
    unittest.main()
