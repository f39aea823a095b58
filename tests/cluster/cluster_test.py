"""A job on several hosts, under torchrun, over shaped links."""

import unittest

import cluster
import hosts
import program

program.require_program()
hosts.require_hosts()


class Cluster(cluster.HostsCase):
    def test_two_hosts_have_a_network(self):
        made = self.make_hosts(2, "400mbit")
        results, profile = self.run_team(made, 2)
        self.assertEqual([place["host"] for place in profile["places"]], ["a", "a", "b", "b"])
        self.assertEqual([place["node"] for place in profile["places"]], [0, 0, 1, 1])
        self.assertEqual({window["condition"] for window in profile["windows"]},
                         {"solo", "apart", "node", "joined", "hot", "cold"})
        solo = next(window for window in profile["windows"] if window["condition"] == "solo")
        self.assertEqual([sample is not None for sample in solo["ranks"]], [True, False, True, False])
        self.assertEqual({row["rank"] for row in profile["collectives"]}, {0, 1, 2, 3})
        # Two rounds say which stall is the largest; on a busy machine they may not say that it differs from 0.
        self.assertRegex(results["a"].out.splitlines()[0], r"network costs|the largest, network,")
        self.assertEqual(results["b"].out, "", "one report is enough")
        self.assertIsNotNone(profile["clocks_s"])


if __name__ == "__main__":
    unittest.main()
