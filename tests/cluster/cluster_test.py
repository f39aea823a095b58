"""A job on several hosts, under torchrun, over shaped links."""

import json
import os
import signal
import sys
import time
import unittest

import cluster
import hosts
import program

program.require_program()
hosts.require_hosts()


class Base(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)

    def make_hosts(self, count, rate=None):
        made = hosts.Hosts(count, rate)
        self.addCleanup(made.close)
        return made


class OneMachine(unittest.TestCase):
    def test_many_more_ranks_than_cores(self):
        folder = program.Folder()
        self.addCleanup(folder.close)
        job = ("--model", "squeezenet1_0", "--image-size", "64", "--batch", "1", "--device", "emulated:K80", "--workers", "1",
               "--data", folder.images(64, size="64x48"))
        result = program.stash("profile", *job, "--ranks", "32", "--max-time", "30s", "--precision", "50%", "--out",
                               folder.path / "out.json", cwd=folder.path, timeout=240)
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(len(json.loads((folder.path / "out.json").read_text())["windows"][0]["ranks"]), 32)


class Cluster(Base):
    def run_team(self, made, ranks, *flags, code=0, timeout=150):
        out = self.folder.path / "out.json"
        team = cluster.Team(made, cluster.torchrun(made, ranks, *cluster.profile("--out", out, *cluster.QUICK, *flags)),
                            self.folder.path)
        results = team.finish(timeout)
        self.assertEqual(team.survivors(), {}, "processes outlive the run")
        text = "\n".join(f"{name}: {result.out}{result.err}" for name, result in results.items())
        if code == 0:
            self.assertEqual({result.code for result in results.values()}, {0}, text)
        return results, json.loads(out.read_text()) if out.exists() else None, text

    def test_two_hosts_have_a_network(self):
        made = self.make_hosts(2, "200mbit")
        results, profile, text = self.run_team(made, 2)
        self.assertEqual([place["host"] for place in profile["places"]], ["a", "a", "b", "b"])
        self.assertEqual([place["node"] for place in profile["places"]], [0, 0, 1, 1])
        self.assertEqual({window["condition"] for window in profile["windows"]},
                         {"solo", "apart", "node", "joined", "hot", "cold"})
        solo = next(window for window in profile["windows"] if window["condition"] == "solo")
        self.assertEqual([sample is not None for sample in solo["ranks"]], [True, False, True, False])
        self.assertEqual({row["rank"] for row in profile["collectives"]}, {0, 1, 2, 3})
        self.assertIn("network costs", results["a"].out)
        self.assertEqual(results["b"].out, "", "one report is enough")
        self.assertIsNotNone(profile["clocks_s"])

    def test_uneven_hosts(self):
        made = self.make_hosts(2)
        _, profile, _ = self.run_team(made, [2, 1])
        self.assertEqual([place["node"] for place in profile["places"]], [0, 0, 1])
        self.assertTrue(profile["complete"])

    def test_a_node_name_overrules(self):
        made = self.make_hosts(2)
        _, profile, _ = self.run_team(made, 1, "--node-name", "same")
        self.assertEqual(profile["places"], [])
        self.assertIn("node", {window["condition"] for window in profile["windows"]})

    def test_other_flags_on_one_host(self):
        made = self.make_hosts(2)
        commands = cluster.torchrun(made, 1, *cluster.profile("--out", self.folder.path / "out.json", *cluster.QUICK))
        commands["b"] += ["--seed", "7"]
        results = cluster.Team(made, commands, self.folder.path).finish()
        text = "".join(result.err for result in results.values())
        self.assertIn("rank 1 on b was started with other flags than rank 0 on a", text)


class Script(Base):
    def test_a_script_of_ones_own_on_two_hosts(self):
        made = self.make_hosts(2, "200mbit")
        out = self.folder.path / "out.json"
        toy = program.ROOT / "tests" / "run" / "scripts" / "toy.py"
        launched = cluster.torchrun(made, 2, sys.executable, toy)
        commands = {}
        for name, words in launched.items():
            at = next(i for i, word in enumerate(words) if word == "-m")  # where torchrun begins
            commands[name] = [*words[:at - 1], program.PROGRAM, "run", "--out", out, *cluster.QUICK, "--", *words[at - 1:]]
        team = cluster.Team(made, commands, self.folder.path, CUDA_VISIBLE_DEVICES="", OMP_NUM_THREADS=1,
                            GLOO_SOCKET_IFNAME="eth0")
        results = team.finish(150)
        text = "\n".join(f"{name}: {result.err}" for name, result in results.items())
        self.assertEqual({result.code for result in results.values()}, {0}, text)
        profile = json.loads(out.read_text())
        self.assertEqual([place["host"] for place in profile["places"]], ["a", "a", "b", "b"], text)
        self.assertEqual({window["condition"] for window in profile["windows"]}, {"solo", "apart", "node", "joined", "hot"})
        self.assertEqual({row["rank"] for row in profile["collectives"]}, {0, 1, 2, 3})
        self.assertIn("rank 0 of this job runs on a: the report is there", results["b"].err)


class Faults(Base):
    """Each ends in a message that names rank and host, within the deadline, with what was measured so far."""

    def start(self, count, max_time="100s"):
        self.made = self.make_hosts(count)
        self.out = self.folder.path / "out.json"
        command = cluster.profile("--out", self.out, "--deadline", "6s", "--precision", "0.01%", "--max-time", max_time)
        team = cluster.Team(self.made, cluster.torchrun(self.made, 1, *command), self.folder.path)
        self.addCleanup(team.kill)
        return team

    def wait_for_rounds(self, team):
        team.wait_until(lambda: "round 3" in team.runs["a"].terminal.text, 90)

    def finish(self, team, timeout=40):
        start = time.monotonic()
        results = team.finish(timeout)
        self.assertEqual(team.survivors(), {}, "processes outlive the run")
        return time.monotonic() - start, "".join(f"{name}: {result.err}" for name, result in results.items())

    def check_saved(self, path=None):
        profile = json.loads((path or self.out).read_text())
        self.assertFalse(profile["complete"])
        self.assertGreater(len(profile["windows"]), 5)

    def test_a_rank_is_killed(self):
        team = self.start(2)
        self.wait_for_rounds(team)
        os.kill(team.ranks()[1], signal.SIGKILL)
        _, text = self.finish(team)
        self.assertRegex(text, r"a: (.|\n)*rank 1 on b cannot be reached any more")
        self.check_saved()

    def test_rank_0_is_killed(self):
        team = self.start(2)
        self.wait_for_rounds(team)
        os.kill(team.ranks()[0], signal.SIGKILL)
        _, text = self.finish(team)
        self.assertIn("rank 0", text)
        self.check_saved()

    def test_a_host_is_cut_off(self):
        team = self.start(2)
        self.wait_for_rounds(team)
        self.made.cut_off("b")
        result = team.runs["a"].finish(40)
        self.assertIn("rank 1 on b cannot be reached any more", result.err)
        self.check_saved()
        team.runs["b"].wait_until(lambda: "rank 0 on a cannot be reached any more" in team.runs["b"].terminal.text, 30)
        team.runs["b"].kill_all()  # torchrun itself waits for its store
        team.runs["b"].finish()
        self.assertEqual(team.survivors(), {}, "processes outlive the run")

    def test_a_host_that_comes_back(self):
        team = self.start(2, "25s")
        self.wait_for_rounds(team)
        self.made.cut_off("b")
        time.sleep(2)
        self.made.bring_back("b")
        _, text = self.finish(team, 90)
        self.assertNotIn("cannot be reached", text)
        self.assertTrue(json.loads(self.out.read_text())["complete"], text)


if __name__ == "__main__":
    unittest.main()
