"""Two ranks whose layers take the time of a slow and of a fast accelerator: their best ratio is the planned one."""

import contextlib
import json
import subprocess
import sys
import unittest

import program

program.require_program(extension=False)
try:
    import torch  # noqa: F401
except ImportError:
    print("needs torch")
    sys.exit(program.SKIPPED)

BENCH = program.ROOT / "bench/plan_mixed_pair.py"


class MixedPair(unittest.TestCase):
    def test_the_best_measured_ratio_of_three_stacks_is_the_planned_one(self):
        # Ranks sleep; on a busy machine the fastest of several steps is what counts.
        called = subprocess.run([sys.executable, BENCH, "--devices", "emulated", "--stash", program.PROGRAM, "--format", "json",
                                 "--tolerance", "1", "--repeats", "2"], text=True, capture_output=True, timeout=200)
        self.assertEqual(called.returncode, 0, called.stderr)
        rows = json.loads(called.stdout)
        self.assertEqual(len(rows), 3)
        for row in rows:
            self.assertLess(row["off"], 0.05, row)
            self.assertLess(row["planned_ratio"], 0.4)  # the slow one gets less

    @unittest.skipIf(program.shutil.which("nvcc") is None, "needs nvcc")
    def test_the_program_for_two_partitions_of_a_gpu_compiles(self):
        with contextlib.closing(program.Folder()) as folder:
            subprocess.run(["nvcc", "-std=c++17", "-arch=sm_90", "-o", folder.path / "mixed_pair",
                            BENCH.with_suffix(".cu")], check=True, timeout=200)


if __name__ == "__main__":
    unittest.main()
