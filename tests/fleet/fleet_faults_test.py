"""bench/fleet_faults.py for a few minutes: machines and the controller killed, the proxy reloaded, no request lost."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

import fleets

fleets.require_proxy()
BENCH = pathlib.Path(os.environ["STASH_ROOT"]) / "bench/fleet_faults.py"


class Faults(unittest.TestCase):
    def test_no_request_is_lost_and_every_loss_is_counted(self):
        ended = subprocess.run([sys.executable, str(BENCH), "--stash", fleets.PROGRAM, "--minutes", "1", "--every", "20",
                                "--launch", "4"], capture_output=True, text=True, timeout=900)
        said = ended.stdout + ended.stderr
        # How long it took is for the bench: a test holds on slow machines.
        self.assertRegex(said, r"\d+ requests, 0 failed", said)
        killed, lost = map(int, re.search(r"(\d+) machines killed, (\d+) counted as lost", said).groups())
        self.assertEqual(killed, lost, said)
        self.assertGreaterEqual(killed, 2)


if __name__ == "__main__":
    unittest.main()
