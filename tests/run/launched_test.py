"""Scripts under the launchers that people have, on one host; torchrun is everywhere else."""

import importlib.util
import os
import shutil
import sys
import unittest

import hosts
import program
import script
import slurm

program.require_program(extension=False)
TOY = (script.SCRIPTS / "toy.py", "--steps", 100000, "--compute-ms", 5, "--batch", 4)


class Launched(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)

    def check(self, *command, ranks=2, part="interconnect", **variables):
        result, profile = script.run(self, self.folder, *command, flags=script.QUICK, MASTER_ADDR="127.0.0.1",
                                     **variables)
        self.assertIsNotNone(profile, result.err)
        self.assertTrue(profile["complete"], result.err)
        self.assertEqual(profile["job"]["ranks"], ranks)
        self.assertIsNotNone(script.report(self, self.folder)["ledger"]["parts"][part])

    @unittest.skipUnless(shutil.which("mpirun"), "there is no mpirun")
    def test_open_mpi(self):
        self.check("mpirun", "-np", 2, "--oversubscribe", "--bind-to", "none", script.PYTHON, *TOY, MASTER_PORT=29631,
                   OMPI_ALLOW_RUN_AS_ROOT=1, OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)

    @unittest.skipIf(slurm.why_not() or hosts.why_not(), slurm.why_not() or hosts.why_not())
    def test_slurm(self):
        made = hosts.Hosts(1)
        self.addCleanup(made.close)
        cluster = slurm.Slurm(made)
        self.addCleanup(cluster.close)
        out = self.folder.path / "run.json"
        launcher, *words = made.on("a", program.PROGRAM, "run", *script.QUICK, "--out", out, "--", "srun", "--immediate=10",
                                   "-n", 2, script.PYTHON, *TOY)
        call = program.Run(*words, program=launcher, SLURM_CONF=cluster.file, MASTER_ADDR=made.address("a"),
                           MASTER_PORT=29632, CUDA_VISIBLE_DEVICES="", OMP_NUM_THREADS=1)
        result = call.finish(120)
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(call.survivors(), {})
        self.assertEqual(script.report(self, self.folder)["job"]["ranks"], 2)

    @unittest.skipUnless(importlib.util.find_spec("accelerate"), "accelerate is not installed")
    def test_accelerate_launch(self):
        accelerate = os.path.join(os.path.dirname(sys.executable), "accelerate")
        # Without a GPU it starts one process, whatever it is asked for.
        self.check(accelerate, "launch", "--cpu", "--num_processes", 1, "--num_machines", 1, "--mixed_precision", "no",
                   "--dynamo_backend", "no", *TOY, ranks=1, part="prep")


if __name__ == "__main__":
    unittest.main()
