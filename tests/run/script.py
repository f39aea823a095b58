"""Runs training scripts under `stash run`, as a user would."""

import array
import json
import pathlib
import random
import sys

import program

SCRIPTS = pathlib.Path(__file__).parent / "scripts"
PYTHON = sys.executable
TORCHRUN = [PYTHON, "-m", "torch.distributed.run", "--nproc-per-node"]


def ranks(count):
    """What starts a script on so many ranks of this machine."""
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
