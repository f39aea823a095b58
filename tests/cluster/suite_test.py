"""`stash characterize` on two hosts: killed and resumed."""

import unittest

import hosts
import program
import suite

program.require_program()
hosts.require_hosts()


class Suite(suite.SuiteCase):
    def test_a_suite_that_is_killed_resumes_and_has_a_network(self):
        team = self.start(*suite.SHORT)
        self.wait_for(team, "case 1 of 2")
        team.wait_until(lambda: len(team.ranks()) == 2)
        first_ranks = team.ranks()
        self.wait_for(team, "case 2 of 2")
        self.assertEqual(team.ranks(), first_ranks, "ranks were started anew")
        self.wait_for(team, "round 2: ")
        team.kill()
        team.finish()
        before = self.profiles()
        self.assertEqual(len(before), 1)
        results, text = self.finish(self.start())
        self.assertEqual({result.code for result in results.values()}, {0}, text)
        self.assertIn("1 of 2 cases finished by this call", results["a"].err)
        self.assertEqual(results["b"].out, "", "one report is enough")
        after = self.profiles()
        self.assertEqual(before, {name: after[name] for name in before}, "a finished case was run again")
        self.check_summary()

    def check_summary(self):
        shown = program.stash("report", self.out, "--format", "json").json()
        self.assertEqual([(case["state"], case["ranks"], case["nodes"]) for case in shown["cases"]],
                         [("finished", 2, 2)] * 2)
        for case in shown["cases"]:
            self.assertIsNotNone(case["ledger"]["parts"]["network"])
        self.assertIn("link_pair_rate", {figure["name"] for figure in shown["figures"]})


if __name__ == "__main__":
    unittest.main()
