"""Starts the program on several hosts at once, under a real launcher."""

import json
import os
import sys
import unittest

import hosts
import program

JOB = ("--model", "squeezenet1_0", "--image-size", "64", "--batch", "4", "--device", "emulated:K80", "--workers", "1")
QUICK = ("--max-time", "6s", "--precision", "50%")


class Team:
    """A command for every host, as somebody would type it there."""

    def __init__(self, commands, cwd, **variables):
        self.runs = {name: program.Run(*command[1:], program=command[0], cwd=cwd, **variables)
                     for name, command in commands.items()}

    def finish(self, timeout=120):
        return {name: run.finish(timeout) for name, run in self.runs.items()}

    def kill(self):
        for run in self.runs.values():
            run.kill_all()

    def survivors(self):
        return {pid: variables for run in self.runs.values() for pid, variables in run.survivors().items()}

    def ranks(self):
        """{rank: process id} of the Python ranks on all hosts."""
        return {int(variables["RANK"]): pid for run in self.runs.values() for pid, variables in run.processes().items()
                if "STASH_CREW_INDEX" in variables}

    def wait_until(self, condition, timeout=60):
        return next(iter(self.runs.values())).wait_until(condition, timeout)


def torchrun(made, ranks, *command):
    """{host: command} of one torchrun on each host; `ranks` is a number or one for each."""
    counts = ranks if isinstance(ranks, (list, tuple)) else [ranks] * len(made.names)
    launcher = [sys.executable, "-m", "torch.distributed.run", "--no-python", "--nnodes", len(made.names),
                "--rdzv-backend", "c10d", "--rdzv-endpoint", f"{made.address('a')}:29411", "--max-restarts", "0"]
    return {name: made.on(name, *launcher, "--local-addr", made.address(name), "--nproc-per-node", count, *command)
            for name, count in zip(made.names, counts)}


def profile(*flags):
    return [os.environ["STASH_PROGRAM_FILE"], "profile", *JOB, *flags]


class HostsCase(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)

    def make_hosts(self, count, rate=None):
        made = hosts.Hosts(count, rate)
        self.addCleanup(made.close)
        return made

    def run_team(self, made, ranks, *flags, timeout=150):
        out = self.folder.path / "out.json"
        team = Team(torchrun(made, ranks, *profile("--out", out, *QUICK, *flags)), self.folder.path)
        results = team.finish(timeout)
        self.assertEqual(team.survivors(), {}, "processes outlive the run")
        text = "\n".join(f"{name}: {result.out}{result.err}" for name, result in results.items())
        self.assertEqual({result.code for result in results.values()}, {0}, text)
        return results, json.loads(out.read_text())
