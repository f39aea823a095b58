"""A suite on two hosts under mpirun and srun."""

import json
import os
import shutil
import sys
import unittest

import hosts
import program
import slurm
import suite

program.require_program()
hosts.require_hosts()


class Launchers(suite.SuiteCase):
    def run_on_a(self, *words, **variables):
        program_file, *arguments = self.made.on("a", *words, os.environ["STASH_PROGRAM_FILE"], "characterize", "--out",
                                                self.out, *suite.SHORT)
        run = program.Run(*arguments, program=program_file, cwd=self.folder.path,
                          PATH=f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}", **variables)
        result = run.finish(180)
        self.assertEqual(result.code, 0, result.err[-2000:])
        states = [case["state"] for case in json.loads((self.out / "summary.json").read_text())["cases"]]
        self.assertEqual(states, ["finished", "finished"], result.err[-2000:])
        for profile in self.profiles().values():
            self.assertEqual([place["host"] for place in profile["places"]], ["a", "b"])

    @unittest.skipUnless(shutil.which("mpirun"), "there is no mpirun")
    def test_open_mpi(self):
        agent = self.folder.path / "agent"  # in ssh's place: agent HOST COMMAND...
        words = " ".join(self.made.on("$host"))
        agent.write_text(f'#!/bin/bash\nhost=$1\nshift\nexec {words} bash -c "$*"\n')
        agent.chmod(0o755)
        self.run_on_a("mpirun", "-np", "2", "--host", "a:1,b:1", "--bind-to", "none", OMPI_MCA_plm_rsh_agent=agent,
                      OMPI_ALLOW_RUN_AS_ROOT=1, OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)

    @unittest.skipIf(slurm.why_not(), slurm.why_not())
    def test_slurm(self):
        cluster = slurm.Slurm(self.made)
        self.addCleanup(cluster.close)
        self.run_on_a("srun", "-N", "2", "--ntasks-per-node", "1", SLURM_CONF=cluster.file)


if __name__ == "__main__":
    unittest.main()
