"""Ranks and hosts that are lost."""

import json
import os
import signal
import time
import unittest

import cluster
import hosts
import program

program.require_program()
hosts.require_hosts()


class Faults(cluster.HostsCase):
    """Each ends in a message that names rank and host, within the deadline, with what was measured so far."""

    def start(self, count, *flags, ranks=1, max_time="100s"):
        self.made = self.make_hosts(count)
        self.out = self.folder.path / "out.json"
        command = cluster.profile("--out", self.out, "--timeout", "6s", "--precision", "0.01%", "--max-time", max_time,
                                  *flags)
        team = cluster.Team(cluster.torchrun(self.made, ranks, *command), self.folder.path)
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

    def test_a_rank_is_killed_at_a_barrier(self):
        team = self.start(2, "--conditions", "solo", ranks=2)  # the second rank of a host only waits
        self.wait_for_rounds(team)
        os.kill(team.ranks()[3], signal.SIGKILL)
        _, text = self.finish(team)
        self.assertRegex(text, r"a: (.|\n)*rank 3 on b")
        self.assertRegex(text, r"b: (.|\n)*rank 3 on b was ended by signal 9")
        self.check_saved()

    def test_a_rank_is_killed_while_the_others_wait_for_it(self):
        team = self.start(2)
        team.wait_until(lambda: 1 in team.ranks(), 60)
        os.kill(team.ranks()[1], signal.SIGKILL)
        took_s, text = self.finish(team)
        self.assertRegex(text, r"b: (.|\n)*rank 1 on b was ended by signal 9")
        self.assertRegex(text, r"a: (.|\n)*rank 1")  # where it would have come from nobody there knows
        self.assertLess(took_s, 30)

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
        team = self.start(2, max_time="25s")
        self.wait_for_rounds(team)
        self.made.cut_off("b")
        time.sleep(2)
        self.made.bring_back("b")
        _, text = self.finish(team, 90)
        self.assertNotIn("cannot be reached", text)
        self.assertTrue(json.loads(self.out.read_text())["complete"], text)


if __name__ == "__main__":
    unittest.main()
