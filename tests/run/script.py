"""Runs training scripts under `stash run`, as a user would."""

import array
import json
import pathlib
import random
import sys
import unittest

import program

SCRIPTS = pathlib.Path(__file__).parent / "scripts"
PYTHON = sys.executable
QUICK = ("--max-time", "3s", "--precision", "50%")
TORCHRUN = [PYTHON, "-m", "torch.distributed.run", "--nproc-per-node"]


def ranks(count):
    """What starts a script on a number of ranks of this machine."""
    return [PYTHON] if count == 1 else [*TORCHRUN, count]


def run(case, folder, *command, flags=(), code=0, timeout=150, **variables):
    """(result, profile or None) of `stash run FLAGS -- COMMAND`."""
    out = folder.path / "run.json"
    out.unlink(missing_ok=True)
    call = program.Run("run", "--out", out, *flags, "--", *command, CUDA_VISIBLE_DEVICES="", OMP_NUM_THREADS=1, **variables)
    result = call.finish(timeout)
    case.assertEqual(result.code, code, result.err + result.out)
    case.assertEqual(call.survivors(), {}, "processes outlive the run")
    return result, json.loads(out.read_text()) if out.exists() else None


def report(case, folder):
    shown = program.stash("report", folder.path / "run.json", "--format", "json")
    case.assertEqual(shown.code, 0, shown.err)
    return shown.json()


def data_folder(folder, files=64, size=4096):
    path = folder.path / "files"
    path.mkdir()
    numbers = random.Random(1)
    for index in range(files):
        (path / f"{index}.bin").write_bytes(array.array("f", (numbers.gauss(0, 1) for _ in range(size // 4))).tobytes())
    return path


def largest_stall(ledger):
    parts = {name: part["s"] for name, part in ledger["parts"].items() if part and name != "compute"}
    return max(parts, key=parts.get)


class ToyCase(unittest.TestCase):
    """The toy script with files of its own."""

    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)
        self.files = data_folder(self.folder)

    def toy(self, ranks_here, *arguments, flags=QUICK, **options):
        return run(self, self.folder, *ranks(ranks_here), SCRIPTS / "toy.py", "--folder", self.files, *arguments,
                   flags=flags, **options)

    def check_files_are_learned(self, profile):
        cold = [window["resident_ratio"] for window in profile["windows"] if window["condition"] == "cold"]
        self.assertLess(max(cold[1:]), 0.5, "which files the samples are in is learned, whoever reads them")


class KeepTrainingCase(unittest.TestCase):
    """`--keep-training`: losses and weights are those of a run without Stash to the last bit, from the first step after
    profiling on."""

    def losses(self, text):
        return [line.split()[2:] for line in text.splitlines() if line.startswith("loss ")]

    def check(self, *arguments, count=1):
        folder = program.Folder()
        self.addCleanup(folder.close)
        files = data_folder(folder)
        command = [*ranks(count), SCRIPTS / "toy.py", "--folder", files, "--print-losses", "--dropout", "0.1", "--samples",
                   2048 * count, *arguments]
        self.check_command(folder, command)

    def check_command(self, folder, command, steps=1800, flags=()):
        plain = program.Run(*command[1:], "--steps", 30, program=PYTHON, CUDA_VISIBLE_DEVICES="",
                            OMP_NUM_THREADS=1).finish()
        expected = self.losses(plain.out)
        kept, profile = run(self, folder, *command, "--steps", steps, flags=(*QUICK, "--keep-training", *flags))
        self.assertTrue(profile["complete"])
        seen = self.losses(kept.out)
        # The steps before profiling, then those that profiling used, then the curve goes on where it was left.
        start = next(i for i in range(len(seen)) if seen[i] != expected[i])
        self.assertGreaterEqual(start, 3)
        rest = expected[start:]
        found = any(seen[i:i + len(rest)] == rest for i in range(start, len(seen)))
        self.assertTrue(found, f"after step {start} the losses {rest[:3]} never come")
