"""The right rank and the right cause, whatever makes a host late."""

import os
import unittest

import cluster
import hosts
import program

program.require_program()
hosts.require_hosts()


class Causes(cluster.HostsCase):
    def late_rank(self, made, *flags):
        out = self.folder.path / "out.json"
        command = cluster.profile("--out", out, "--max-time", "60s", "--precision", "3%", *flags)
        results = cluster.Team(cluster.torchrun(made, 1, *command), self.folder.path).finish(180)
        text = "\n".join(f"{name}: {result.out}{result.err}" for name, result in results.items())
        self.assertEqual({result.code for result in results.values()}, {0}, text)
        shown = program.stash("report", out, "--format", "json").json()
        self.assertIsNotNone(shown["ledger"]["late_rank"], text)
        return shown["ledger"]["late_rank"], shown

    def test_a_late_host(self):
        late, _ = self.late_rank(self.make_hosts(3), "--inject", "rank1=+40ms")
        self.assertEqual((late["rank"], late["host"], late["cause"]), (1, "b", "compute"))
        self.assertAlmostEqual(late["s"], 0.040, delta=0.008)

    def test_a_slow_link_to_one_host(self):
        made = self.make_hosts(3, "1gbit")
        made.shape("c", "60mbit")
        late, report = self.late_rank(made)
        self.assertEqual((late["rank"], late["host"], late["cause"]), (2, "c", "link"))
        self.assertIn("the link of c carries", " ".join(report["warnings"]))

    @unittest.skipUnless((hosts.BLKIO / "blkio.throttle.read_bps_device").exists(), "reads cannot be throttled here")
    def test_a_slow_disk_on_one_host(self):
        made = self.make_hosts(3)
        images = self.folder.images(256, size="400x300")
        if os.major(os.stat(images).st_dev) == 0:
            self.skipTest("the working folder is on no block device")
        made.slow_down_disk("b", images, 1_000_000)
        late, _ = self.late_rank(made, "--data", images)
        self.assertEqual((late["rank"], late["host"], late["cause"], late["condition"]), (1, "b", "input", "cold"))


if __name__ == "__main__":
    unittest.main()
