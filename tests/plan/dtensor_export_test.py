"""What `stash plan --export` writes: the one for torch splits a small transformer over four Gloo ranks, which then have
the losses of the unsplit one over several steps."""

import ast
import json
import os
import pathlib
import shlex
import subprocess
import sys
import unittest

import program

program.require_program(extension=False)
try:
    import torch.distributed.fsdp  # noqa: F401
except ImportError:
    print("needs torch")
    sys.exit(program.SKIPPED)

try:
    import tomllib
except ImportError:  # Python 3.10
    tomllib = None

RANKS = pathlib.Path(__file__).with_name("dtensor_export_ranks.py")
MODEL = "gpt:layers=4,hidden=32,heads=4,seq=8,vocab=64"  # as dtensor_export_ranks.py has it
ON_FOUR = ("--on", "4xV100", "--global-batch", "16")
DATA = "--tensor 1 --pipeline 1"
SPLITS = {
    "best": "",
    "data and tensor": "--data 2 --tensor 2 --micro-batch 4 --sequence-parallel",
    "tensor": "--tensor 4 --micro-batch 8 --no-sequence-parallel --recompute full",
    "copies": f"{DATA} --shards 1 --no-shard-optimizer --micro-batch 2 --recompute none",
    "fully sharded": f"{DATA} --shards 4 --recompute selective",
    "hybrid sharded": f"{DATA} --shards 2",
    "sharded optimizer": f"{DATA} --shards 1 --shard-optimizer",
    "pipeline and tensor": "--tensor 2 --pipeline 2 --sequence-parallel --micro-batch 4",
    "interleaved": "--data 2 --tensor 1 --pipeline 2 --interleave 2 --shard-optimizer --micro-batch 2",
    "deep pipeline": "--pipeline 4 --recompute full --micro-batch 2",
}
SHARED = {"tensor", "fully sharded", "sharded optimizer", "deep pipeline"}  # no rank holds more than about a half


def export(target, *flags, model=MODEL, on=ON_FOUR):
    result = program.stash("plan", "--model", model, *on, *flags, "--export", target)
    assert result.code == 0, result.err
    return result.out


def losses_of(folder, modules):
    """What the ranks printed, by rank."""
    started = [subprocess.Popen([sys.executable, RANKS, folder / "store", str(rank), *modules], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "OMP_NUM_THREADS": "1"})
               for rank in range(4)]
    try:
        ended = [process.communicate(timeout=300) for process in started]
    finally:
        for process in started:
            process.kill()
    for process, (_, err) in zip(started, ended):
        assert process.returncode == 0, err
    return [json.loads(out) for out, _ in ended]


class DtensorExport(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)

    def test_four_ranks_have_the_losses_of_the_unsplit_model(self):
        modules = []
        for number, flags in enumerate(SPLITS.values()):
            modules.append(self.folder.path / f"plan_{number}.py")
            modules[-1].write_text(export("dtensor", *shlex.split(flags)))
        for found in losses_of(self.folder.path, modules):
            self.assertGreater(abs(found["unsplit"][0] - found["unsplit"][2]), 1e-3)  # it learns or forgets
            for name, module in zip(SPLITS, modules):
                with self.subTest(name):
                    split = found[str(module)]
                    for loss, wanted in zip(split["losses"], found["unsplit"], strict=True):
                        self.assertAlmostEqual(loss, wanted, delta=1e-10)
                    if name in SHARED:
                        self.assertLess(split["held"], 0.6 * found["parameters"])

    def plan(self, *flags, **options):
        text = export("dtensor", *flags, **options)
        assigned = next(node for node in ast.parse(text).body
                        if isinstance(node, ast.Assign) and node.targets[0].id == "PLAN")
        return ast.literal_eval(assigned.value)

    @unittest.skipIf(tomllib is None, "needs Python 3.11 to read TOML")
    def test_stages_of_unequal_depth_are_exported(self):
        options = {"model": "gpt:layers=24,hidden=2048,heads=16,seq=1024",
                   "on": ("--on", "2xp3.16xlarge+2xp4d.24xlarge", "--global-batch", "64")}
        flags = ("--pipeline", "4", "--tensor", "8")
        depths = self.plan(*flags, **options)["stage_layers"]
        self.assertEqual(sum(depths), 24)
        layout = dict(line.split() for line in export("megatron", *flags, **options).splitlines() if " " in line)
        self.assertEqual(layout["--pipeline-model-parallel-layout"], "E" + "|".join(f"t*{depth}" for depth in depths) + "L")
        flags = (*flags, "--dtype", "fp32")  # torchtitan has no fp16, and V100s no bf16
        depths = self.plan(*flags, **options)["stage_layers"]
        modules = tomllib.loads(export("torchtitan", *flags, **options))["parallelism"]["module_fqns_per_model_part"]
        self.assertEqual([sum(name.startswith("layers.") for name in stage) for stage in modules], depths)

    @unittest.skipIf(tomllib is None, "needs Python 3.11 to read TOML")
    def test_settings_of_other_programs_are_those_of_the_plan(self):
        flags = ("--data", "2", "--tensor", "1", "--pipeline", "2", "--interleave", "2", "--micro-batch", "2",
                 "--recompute", "full", "--shard-optimizer")
        plan = self.plan(*flags)
        titan = tomllib.loads(export("torchtitan", *flags, "--dtype", "fp32"))
        parallelism = titan["parallelism"]
        self.assertEqual(parallelism["data_parallel_replicate_degree"] * parallelism["data_parallel_shard_degree"], plan["data"])
        self.assertEqual(parallelism["pipeline_parallel_schedule"], "Interleaved1F1B")
        # torchtitan divides the layers and these by the layers per stage, which has to give all pieces
        less = sum(parallelism[f"pipeline_parallel_{end}_stage_less_layers"] for end in ("first", "last"))
        self.assertEqual((4 + less) / parallelism["pipeline_parallel_layers_per_stage"], 2 * 2)
        self.assertEqual(titan["training"]["local_batch_size"], plan["micro_batch"] * plan["micro_batches"])
        self.assertEqual(titan["activation_checkpoint"]["mode"], "full")
        arguments = export("megatron", *flags).split()
        for flag, value in (("--pipeline-model-parallel-size", "2"), ("--num-layers-per-virtual-pipeline-stage", "1"),
                            ("--micro-batch-size", "2"), ("--global-batch-size", "16"), ("--recompute-granularity", "full")):
            self.assertEqual(arguments[arguments.index(flag) + 1], value)
        self.assertIn("--use-distributed-optimizer", arguments)
        sharded = export("megatron", "--data", "4", "--tensor", "1", "--pipeline", "1", "--shards", "4").split()
        self.assertEqual(sharded[sharded.index("--ckpt-format") + 1], "fsdp_dtensor")  # which Megatron's FSDP asks for

    def test_an_export_that_cannot_be_is_refused(self):
        for arguments, said in ((("--model", MODEL, *ON_FOUR, "--export", "megatrn"), "'megatron'"),
                                (("--model", MODEL, *ON_FOUR, "--export", "json", "--format", "json"), "--format"),
                                (("--model", MODEL, *ON_FOUR, "--dtype", "fp16", "--export", "torchtitan"), "bf16"),
                                (("--model", "vgg11", "--on", "4xV100", "--export", "dtensor"), "--export dtensor")):
            result = program.stash("plan", *arguments)
            self.assertEqual((result.code, result.out), (2, ""))
            self.assertIn(said, result.err)


if __name__ == "__main__":
    unittest.main()
