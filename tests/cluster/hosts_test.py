"""What hosts may be like, and a script of one's own on several."""

import json
import sys
import unittest

import cluster
import hosts
import program

program.require_program()
hosts.require_hosts()


class Hosts(cluster.HostsCase):
    def test_uneven_hosts(self):
        made = self.make_hosts(2)
        _, profile = self.run_team(made, [2, 1])
        self.assertEqual([place["node"] for place in profile["places"]], [0, 0, 1])
        self.assertTrue(profile["complete"])

    def test_a_node_name_overrules(self):
        made = self.make_hosts(2)
        _, profile = self.run_team(made, 1, "--node-name", "same")
        self.assertEqual(profile["places"], [])
        self.assertIn("node", {window["condition"] for window in profile["windows"]})

    def test_other_flags_on_one_host(self):
        made = self.make_hosts(2)
        commands = cluster.torchrun(made, 1, *cluster.profile("--out", self.folder.path / "out.json", *cluster.QUICK))
        commands["b"] += ["--seed", "7"]
        results = cluster.Team(commands, self.folder.path).finish()
        text = "".join(result.err for result in results.values())
        self.assertIn("rank 1 on b was started with other flags than rank 0 on a", text)


class Script(cluster.HostsCase):
    def test_a_script_of_ones_own_on_two_hosts(self):
        made = self.make_hosts(2, "200mbit")
        out = self.folder.path / "out.json"
        toy = program.ROOT / "tests" / "run" / "scripts" / "toy.py"
        launched = cluster.torchrun(made, 2, sys.executable, toy)
        commands = {}
        for name, words in launched.items():
            at = next(i for i, word in enumerate(words) if word == "-m")  # where torchrun begins
            commands[name] = [*words[:at - 1], program.PROGRAM, "run", "--out", out, *cluster.QUICK, "--", *words[at - 1:]]
        team = cluster.Team(commands, self.folder.path, CUDA_VISIBLE_DEVICES="", OMP_NUM_THREADS=1,
                            GLOO_SOCKET_IFNAME="eth0")
        results = team.finish(150)
        text = "\n".join(f"{name}: {result.err}" for name, result in results.items())
        self.assertEqual({result.code for result in results.values()}, {0}, text)
        profile = json.loads(out.read_text())
        self.assertEqual([place["host"] for place in profile["places"]], ["a", "a", "b", "b"], text)
        self.assertEqual({window["condition"] for window in profile["windows"]}, {"solo", "apart", "node", "joined", "hot"})
        self.assertEqual({row["rank"] for row in profile["collectives"]}, {0, 1, 2, 3})
        self.assertIn("rank 0 of this job runs on a: the report is there", results["b"].err)


if __name__ == "__main__":
    unittest.main()
