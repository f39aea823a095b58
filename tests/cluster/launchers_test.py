"""The examples of docs/clusters.md, as they stand, under the launchers that they are for."""

import json
import os
import re
import shutil
import sys
import unittest

import hosts
import program
import slurm

program.require_program()
hosts.require_hosts()

PAGE = (program.ROOT / "docs" / "clusters.md").read_text()


def section(name):
    return re.search(rf"^## {re.escape(name)}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S).group(1)


def block(name, language):
    return re.search(rf"^```{language}[^\n]*\n(.*?)^```", section(name), re.M | re.S).group(1)


def command(name):
    return block(name, "console").replace("\\\n", " ").removeprefix("$ ").strip()


class Launchers(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)
        self.work = self.folder.path / "work"
        self.work.mkdir()
        (self.work / "stash").symlink_to(program.PROGRAM)
        self.hosts = hosts.Hosts(2, "2gbit")
        self.addCleanup(self.hosts.close)

    def start(self, host, *words, **variables):
        program_file, *arguments = self.hosts.on(host, *words)
        return program.Run(*arguments, program=program_file, cwd=self.work, HEAD=self.hosts.address("a"),
                           PATH=f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}", **variables)

    def check(self, result, text=""):
        self.assertEqual(result.code, 0, result.err + text)
        profile = json.loads((self.work / "r18.json").read_text())
        self.assertEqual([place["host"] for place in profile["places"]], ["a", "a", "b", "b"])
        self.assertTrue(profile["complete"])
        self.assertIn("joined", {window["condition"] for window in profile["windows"]})

    def test_torchrun(self):
        runs = [self.start(name, "bash", "-c", command("torchrun")) for name in self.hosts.names]
        results = [run.finish() for run in runs]
        self.check(results[0], results[1].err)
        self.assertEqual(results[1].out, "")

    @unittest.skipUnless(shutil.which("mpirun"), "there is no mpirun")
    def test_open_mpi(self):
        (self.work / "hosts").write_text(block("Open MPI", "text"))
        agent = self.work / "agent"  # in ssh's place: agent HOST COMMAND...
        words = " ".join(self.hosts.on("$host"))
        agent.write_text(f'#!/bin/bash\nhost=$1\nshift\nexec {words} bash -c "$*"\n')
        agent.chmod(0o755)
        run = self.start("a", "bash", "-c", command("Open MPI"), OMPI_MCA_plm_rsh_agent=agent, OMPI_ALLOW_RUN_AS_ROOT=1,
                         OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
        self.check(run.finish())
        self.assertEqual(run.survivors(), {})

    @unittest.skipIf(slurm.why_not(), slurm.why_not())
    def test_slurm(self):
        cluster = slurm.Slurm(self.hosts)
        self.addCleanup(cluster.close)
        (self.work / "r18.sbatch").write_text(block("Slurm", "bash"))
        run = self.start("a", "sbatch", "--wait", "--output", "job.out", "r18.sbatch", SLURM_CONF=cluster.file)
        result = run.finish()
        said = self.work / "job.out"
        self.check(result, said.read_text() if said.exists() else "")


if __name__ == "__main__":
    unittest.main()
