"""The types of a layer-wise plan on real ranks: results of the unsplit layers, and the bytes of the cost table."""

import json
import pathlib
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

RANKS = pathlib.Path(__file__).with_name("partition_ranks.py")
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node"]
BATCH, CHANNELS, PIXELS = 24, (24, 48, 24), 25
STEPS = 8


def elements(is_convolution):
    """A(W) of both layers, and A of their input, of what is between them and of their output."""
    pixels, kernel = (PIXELS, 9) if is_convolution else (1, 1)
    return ([into * out * kernel for into, out in zip(CHANNELS, CHANNELS[1:])],
            [BATCH * channels * pixels for channels in CHANNELS])


def within(case):
    """I: A(W), II: A(F_out), III: A(E_in)."""
    weights, tensors = elements(case["convolution"])
    return sum({1: weights[i], 2: tensors[i + 1], 3: tensors[i]}[kind] for i, kind in enumerate(case["kinds"]))


def between(case):
    """What a rank with share a of the first and b of the second layer gets between them, forward and backward."""
    a, b = case["shares"]
    table = {(1, 1): abs(a - b), (1, 2): b * (1 - a) + a * (1 - b), (1, 3): 1 - a,
             (2, 1): 1 - b, (2, 2): 1 - b, (2, 3): 0,
             (3, 1): b * (1 - a) + a * (1 - b), (3, 2): abs(a - b), (3, 3): 1 - a}
    return table[tuple(case["kinds"])] * elements(case["convolution"])[1][1]


class PartitionTypes(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)
        self.out = self.folder.path / "found"

    def found(self, count):
        return [case for rank in range(count) for case in json.loads(self.out.with_suffix(f".{rank}").read_text())]

    def test_split_layers_are_the_unsplit_ones_and_exchange_what_the_table_says(self):
        ended = subprocess.run([*TORCHRUN, "8", RANKS, "--out", self.out], text=True, capture_output=True, timeout=200,
                               env={**program.os.environ, "OMP_NUM_THREADS": "1"})
        self.assertEqual(ended.returncode, 0, ended.stderr)
        cases = self.found(8)
        self.assertEqual(len(cases), 2 * 9 * (2 * 3 + 3 + 4 + 8))
        for case in cases:
            with self.subTest(case):
                self.assertLess(case["error"], 1e-10)
                self.assertEqual(case["within"], within(case))
                self.assertAlmostEqual(case["between"], between(case), places=6)

    def test_the_bytes_that_pass_through_the_switch_backend_are_those_of_the_table(self):
        metrics = self.folder.path / "stash.prom"
        call = program.Run("watch", "--metrics", metrics, "--", *TORCHRUN, 2, RANKS, "--out", self.out, "--steps", STEPS,
                           CUDA_VISIBLE_DEVICES="", OMP_NUM_THREADS=1)
        result = call.finish(250)
        self.assertEqual(result.code, 0, result.err)
        text = metrics.read_text()
        for rank in (0, 1):
            cases = [case for case in self.found(2) if case["rank"] == rank]
            self.assertAlmostEqual(self.value(text, "stash_collective_bytes_total", rank, "allreduce") / STEPS,
                                   8 * sum(within(case) for case in cases), places=3)
            # A rank sends what the other gets.
            others = [case for case in self.found(2) if case["rank"] != rank]
            self.assertAlmostEqual(self.value(text, "stash_collective_bytes_total", rank, "alltoall") / STEPS,
                                   8 * sum(between(case) for case in others), places=3)

    def value(self, text, name, rank, op=""):
        lines = [line for line in text.splitlines() if line.startswith(name + "{") and f'rank="{rank}"' in line and op in line]
        self.assertTrue(lines, text)
        return sum(float(line.split()[-1]) for line in lines)


if __name__ == "__main__":
    unittest.main()
