"""A suite on two hosts of which something is lost, or wrong from the start."""

import json
import os
import signal
import time
import unittest

import hosts
import program
import suite

program.require_program()
hosts.require_hosts()


class Lost(suite.SuiteCase):
    def start_first_case(self, *flags):
        team = self.start(*suite.SHORT, "--timeout", "20s", *flags)
        self.wait_for(team, "round 2: ")
        return team

    def states(self):
        return sorted(case["state"] for case in json.loads((self.out / "summary.json").read_text())["cases"])

    def stash_on_b(self, team):
        """The process that torchrun started on b."""
        return next(pid for pid, variables in team.runs["b"].processes().items()
                    if "LOCAL_RANK" in variables and "STASH_CREW_INDEX" not in variables)

    def test_a_rank_elsewhere_is_killed_and_the_next_case_has_new_ones(self):
        team = self.start_first_case()
        os.kill(team.ranks()[1], signal.SIGKILL)
        results, text = self.finish(team)
        self.assertEqual({result.code for result in results.values()}, {0}, text)
        self.assertEqual(self.states(), ["failed", "finished"])
        failed = next((self.out / "failed").glob("*.json"))
        self.assertIn("rank 1 on b was ended by signal 9", json.loads(failed.read_text())["why"])
        results, text = self.finish(self.start("--retry"))
        self.assertEqual(self.states(), ["finished", "finished"], text)

    def test_rank_0_is_killed_and_the_next_case_has_new_ones(self):
        team = self.start_first_case()
        os.kill(team.ranks()[0], signal.SIGKILL)
        results, text = self.finish(team)
        self.assertEqual({result.code for result in results.values()}, {0}, text)
        self.assertEqual(self.states(), ["failed", "finished"])

    def test_a_process_is_killed(self):
        team = self.start_first_case()
        os.kill(self.stash_on_b(team), signal.SIGKILL)
        results, text = self.finish(team, 60)
        self.assertNotEqual(results["a"].code, 0, text)
        self.assertEqual(self.events(), ["begin", "start", "cut", "end"], text)
        self.assertEqual(self.states(), ["left", "left"])

    def test_a_host_is_cut_off(self):
        team = self.start_first_case()
        self.made.cut_off("b")
        team.runs["a"].wait_until(lambda: "process 1 on b" in team.runs["a"].terminal.text, 60)
        self.assertIn("The same command resumes", team.runs["a"].terminal.text)
        team.runs["b"].wait_until(lambda: "process 0 on a has ended or is cut off" in team.runs["b"].terminal.text, 60)
        team.kill()  # torchrun itself waits for its store
        self.finish(team)
        self.assertEqual(self.events(), ["begin", "start", "cut", "end"])

    def test_ctrl_c_is_told_as_on_one_machine(self):
        team = self.start_first_case()
        pid = next(pid for pid, variables in team.runs["a"].processes().items()
                   if "LOCAL_RANK" in variables and "STASH_CREW_INDEX" not in variables)
        os.kill(pid, signal.SIGINT)
        results, text = self.finish(team, 60)
        self.assertIn("to go on: with torchrun, stash characterize --out", results["a"].err, text)
        self.assertEqual(self.events(), ["begin", "start", "cut", "end"])

    def test_a_time_cap_holds(self):
        started = time.monotonic()
        team = self.start(*suite.LONG, "--max-time", "25s")
        results, text = self.finish(team, 90)
        self.assertEqual({result.code for result in results.values()}, {0}, text)
        self.assertIn("--max-time ended it", results["a"].err)
        self.assertLess(time.monotonic() - started, 60)


class Wrong(suite.SuiteCase):
    def refuse(self, team, *said, timeout=60):
        results, text = self.finish(team, timeout)
        self.assertTrue(all(result.code != 0 for result in results.values()), text)
        for words in said:
            self.assertIn(words, results["a"].err)
        self.assertNotIn("stash: ", results["b"].err, "one sentence is enough")

    def test_other_flags_on_one_host(self):
        self.refuse(self.start(*suite.SHORT, on_b=("--seed", "7")),
                    "process 0 on a was started with no --seed and process 1 on b with --seed 7")

    def test_a_folder_that_cannot_be_made(self):
        (self.folder.path / "file").write_text("")
        self.out = self.folder.path / "file" / "vms"
        self.refuse(self.start(*suite.SHORT), "file/vms", "name another folder with --out")

    def test_a_second_suite_in_the_same_folder(self):
        team = self.start(*suite.LONG)
        self.wait_for(team, "round 1")
        second = program.stash("characterize", "--local", "--out", self.out, *suite.SHORT)
        self.assertEqual(second.code, 1)
        self.assertIn("another battery runs in", second.err)

    def test_a_folder_of_one_machine(self):
        local = program.stash("characterize", "--local", "--out", self.out, *suite.SHORT, "--max-time", "1s")
        self.assertEqual(local.code, 0, local.err)
        self.refuse(self.start(), "holds cases of one machine without a launcher, and this call is of 2 machines")

    def test_more_ranks_than_the_cases_have(self):
        team = self.start(*suite.SHORT, "--max-time", "1s")
        self.finish(team)
        self.refuse(self.start(ranks=2), "have 2 ranks, and torchrun started 4")

    def test_emulated_nodes(self):
        self.refuse(self.start(*suite.SHORT, "--nodes", "2"), "--nodes emulates nodes on one machine")


if __name__ == "__main__":
    unittest.main()
