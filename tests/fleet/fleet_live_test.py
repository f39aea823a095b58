"""`stash fleet run --provider local`: machines are started, killed, found again; no request is lost on the way."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

import fleets
from fleets import PROGRAM, Fleet, eventually, lives

fleets.require_proxy()

# Ten times as fast as time: a minute takes six seconds, a launch half a second.
FAST = ["--policy", "mark", "--speed", "10"]


class Live(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def fleet(self, *words, **more):
        return self.enterContext(Fleet(self.folder.name, *words, **more))

    def test_requests_are_counted_and_everything_ends(self):
        fleet = self.fleet(*FAST)
        self.assertRegex(fleet.address, r"^http://127\.0\.0\.1:\d+$")
        eventually(fleet.ready, "a machine that is ready")
        sent = json.loads(fleet.begin_load(10, 4).communicate(timeout=fleets.LIMIT_S)[0])
        pids = fleet.pids() | {fleet.state()["proxy"]["pid"]}
        self.assertTrue(all(lives(pid) for pid in pids))
        summary = fleet.stop()
        self.assertEqual(sent["failed"], 0)
        self.assertEqual(summary["requests"], sent["requests"])
        self.assertEqual(summary["refused"], sent["refused"])
        self.assertEqual(summary["failed"], 0)
        self.assertGreater(summary["usd"], 0)
        self.assertIn("small", summary["machine_hours"])
        self.assertEqual(summary["changes"][0]["what"], "started")
        self.assertFalse([pid for pid in pids if lives(pid)])
        self.assertFalse((fleet.folder / "machines.json").exists())
        self.assertEqual(json.loads((fleet.folder / "summary.json").read_text()), summary)

    def test_faults_lose_no_request(self):
        fleet = self.fleet(*FAST)
        eventually(fleet.ready, "a machine that is ready")
        load = fleet.begin_load(60, 600)
        eventually(lambda: len(fleet.ready()) >= 2, "a second machine")

        victim = fleet.ready()[0]
        os.kill(victim["servers"][0]["process"]["pid"], signal.SIGKILL)
        lost = eventually(lambda: fleet.events("lost"), "the loss")[0]
        self.assertEqual(lost["machine"], victim["id"])
        number = len(fleet.ready()) + 1
        eventually(lambda: len(fleet.ready()) >= number, "a replacement")

        before = fleet.pids()
        fleet.kill()
        self.assertTrue(all(lives(pid) for pid in before))
        fleet.start()
        resumed = eventually(lambda: fleet.events("resumed"), "the next controller")
        self.assertEqual(len(resumed), 1)
        self.assertTrue(before <= fleet.pids())

        proxy = fleet.state()["proxy"]["pid"]
        os.kill(proxy, signal.SIGUSR2)
        answered = fleet.answered()
        eventually(lambda: fleet.answered() > answered + 100, "answers after the reload")
        sent = fleets.end_load(load)
        self.assertEqual(fleet.state()["proxy"]["pid"], proxy)
        # What the killed machine worked on is sent to another one, as the requests are small.
        self.assertLessEqual(sent["failed"], 8, sent)
        summary = fleet.stop()
        self.assertIn("lost", [one["what"] for one in summary["changes"]])
        self.assertFalse([pid for pid in before if lives(pid)])

    def test_a_fleet_that_was_kept_is_shown_and_stopped(self):
        fleet = self.fleet(*FAST, "--keep")
        eventually(fleet.ready, "a machine that is ready")
        fleet.stop()
        pids = fleet.pids()
        self.assertTrue(pids and all(lives(pid) for pid in pids))
        words = ["--folder", str(fleet.folder)]
        shown = subprocess.run([PROGRAM, "fleet", "status", *words], capture_output=True, text=True, timeout=60)
        self.assertIn("without a controller", shown.stdout)
        self.assertIn("small-1  ready", shown.stdout)
        ended = subprocess.run([PROGRAM, "fleet", "stop", *words], capture_output=True, text=True, timeout=fleets.LIMIT_S)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertFalse([pid for pid in pids if lives(pid)])
        again = subprocess.run([PROGRAM, "fleet", "stop", *words], capture_output=True, text=True, timeout=60)
        self.assertEqual((again.returncode, "no local fleet" in again.stderr), (1, True))

    def test_one_folder_has_one_controller(self):
        fleet = self.fleet(*FAST)
        second = subprocess.run([PROGRAM, "fleet", "run", "--model", "tiny=sleep:10ms", "--market", str(fleet.market),
                                 "--objective", "400ms", "--policy", "mark", "--folder", str(fleet.folder)],
                                capture_output=True, text=True, timeout=60)
        self.assertEqual(second.returncode, 1)
        self.assertIn("another controller runs the fleet", second.stderr)

    def test_a_missing_proxy_says_how_to_install_it(self):
        if pathlib.Path("/usr/sbin/haproxy").exists() or pathlib.Path("/usr/local/sbin/haproxy").exists():
            self.skipTest("HAProxy is found without PATH")
        ended = subprocess.run([PROGRAM, "fleet", "run", "--model", "sleep:10ms", "--policy", "mark"],
                               env={**os.environ, "PATH": ""}, capture_output=True, text=True, timeout=60)
        self.assertIn("apt-get install haproxy", ended.stderr)

    def test_flags_that_cannot_be_are_refused(self):
        market = str(fleets.write_market(self.folder.name))
        for words, said in ((["--provider", "lokal"], "did you mean 'local'"),
                            (["--policy", "stach"], "stash"),
                            (["--policy", "oracle"], "oracle"),
                            (["--speed", "0"], "--speed takes"),
                            (["--port", "70000"], "--port takes"),
                            (["--for", "0s"], "--for takes"),
                            (["--objective", "1ms"], "1"),
                            (["--market", market + "x"], "no such file"),
                            (["--keep", "--stop"], "exclude")):
            with self.subTest(words=words):
                given = ["--market", market] if "--market" not in words else []
                given += ["--objective", "400ms"] if "--objective" not in words else []
                given += ["--policy", "mark"] if "--policy" not in words else []
                ended = subprocess.run([PROGRAM, "fleet", "run", "--model", "tiny=sleep:10ms", "--folder",
                                        self.folder.name + "/f", *given, *words],
                                       capture_output=True, text=True, timeout=60)
                self.assertEqual(ended.returncode, 2, ended.stderr)
                self.assertIn(said, ended.stderr)


if __name__ == "__main__":
    unittest.main()
