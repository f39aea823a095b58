"""A battery that is killed and resumed: every case finishes once, nothing is damaged, nothing is run twice."""

import json
import os
import random
import signal
import time
import unittest

import program

program.require_program()

MODELS = ("--models", "squeezenet1_0,shufflenet_v2_x0_5", "--device", "emulated:V100", "--conditions", "apart,node")
QUICK = ("--precision", "50%", "--case-time", "3s")
FOUR = (*MODELS, "--batches", "2,4")
ENDLESS = (*FOUR, "--precision", "0.01%", "--case-time", "60s")
KILLS = 5  # ten of them, and more cases: many_kills_test.py
BATCHES = 3
LONGEST_S = 3.5  # until a kill: a case finishes now and then, all never before the last


class Battery(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)
        self.out = self.folder.path / "vm"

    def skip_figures(self):
        """The machine's own figures pass for measured, which saves their seconds."""
        self.out.mkdir()
        (self.out / "machine.json").write_text('{"figures": []}')

    def start(self, *arguments):
        return program.Run("characterize", "--out", self.out, *arguments)

    def finish(self, run, code, timeout=240):
        result = run.finish(timeout)
        self.assertEqual(run.survivors(), {}, "processes are left")
        self.assertEqual(result.code, code, result.err)
        return result

    def events(self):
        lines = (self.out / "log.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]

    def profiles(self):
        return {path.stem: json.loads(path.read_text()) for path in (self.out / "cases").glob("[!.]*.json")}

    def planned(self):
        return {case["name"] for case in json.loads((self.out / "battery.json").read_text())["cases"]}

    def check_finished_once(self):
        """No case begins after it was finished, and each finishes once."""
        finished = set()
        for event in self.events():
            if event["event"] == "start":
                self.assertNotIn(event["case"], finished, "a finished case was run again")
            elif event["event"] == "finish":
                self.assertNotIn(event["case"], finished)
                finished.add(event["case"])

    def test_a_battery_killed_at_random_moments_ends_with_every_case_finished_once(self):
        self.kill_at_random_moments(KILLS, BATCHES)

    def kill_at_random_moments(self, kills, batches):
        self.skip_figures()
        moments = random.Random(1)
        first = {}
        arguments = (*MODELS, *QUICK, "--batches", ",".join(map(str, range(2, 2 + batches))))
        for _ in range(kills):
            run = self.start(*arguments)
            time.sleep(moments.uniform(0.2, LONGEST_S))
            self.assertIsNone(run.process.poll(), "done before it was killed so often")
            run.process.send_signal(signal.SIGKILL)
            run.finish(60)
            self.assertEqual(run.survivors(), {}, "ranks outlived a killed battery")
            for name, profile in self.profiles().items():
                self.assertTrue(profile["complete"], f"{name} is damaged")
                self.assertEqual(first.setdefault(name, profile), profile, f"{name} was measured again")
            if (self.out / "battery.json").exists():
                arguments = ()  # the folder knows what is to be done
        self.finish(self.start(*arguments), 0)
        self.assertEqual(first, {name: profile for name, profile in self.profiles().items() if name in first})
        self.assertEqual(set(self.profiles()), self.planned())
        self.assertEqual(len(self.planned()), 2 * batches)
        self.check_finished_once()
        summary = json.loads((self.out / "summary.json").read_text())
        self.assertEqual({case["state"] for case in summary["cases"]}, {"finished"})
        starts = len(self.events())
        again = self.finish(self.start(), 0)
        self.assertIn(f"0 of {2 * batches} cases finished by this call", again.err)
        self.assertEqual([event["event"] for event in self.events()[starts:]], ["begin", "end"])

    def test_ctrl_c_ends_cleanly_and_says_how_to_go_on(self):
        self.skip_figures()
        run = self.start(*ENDLESS)
        run.wait_until(lambda: "round 2:" in run.terminal.text, 120)
        run.process.send_signal(signal.SIGINT)
        result = self.finish(run, 130)
        self.assertIn("to resume: stash characterize --out", result.err)
        self.assertEqual(self.profiles(), {})
        self.assertEqual([event["event"] for event in self.events()], ["begin", "start", "cut", "end"])

    def test_ranks_stay_from_case_to_case_and_are_replaced_when_one_dies(self):
        self.skip_figures()
        run = self.start("--models", "squeezenet1_0", "--batches", "2,4,8", *MODELS[2:], "--precision", "0.01%",
                         "--case-time", "5s")

        def ranks_in_case(number):
            return run.wait_until(lambda: f"case {number} of 3" in run.terminal.text
                                  and "round 2" in run.terminal.text.rpartition(f"case {number} of 3")[2] and run.ranks())

        first, second = ranks_in_case(1), ranks_in_case(2)
        self.assertEqual(len(first), 2)
        self.assertEqual(first, second, "ranks were started anew")
        os.kill(second[1], signal.SIGKILL)
        third = ranks_in_case(3)
        self.assertEqual(set(third.values()) & set(first.values()), set())
        self.finish(run, 0)
        states = sorted(case["state"] for case in json.loads((self.out / "summary.json").read_text())["cases"])
        self.assertEqual(states, ["failed", "finished", "finished"])

    def test_two_batteries_in_one_folder_do_not_collide(self):
        self.skip_figures()
        first = self.start(*ENDLESS)
        first.wait_until(lambda: (self.out / "lock").exists() and "case 1 of" in first.terminal.text, 120)
        second = self.finish(self.start(*FOUR), 1)
        self.assertIn("another battery runs in", second.err)
        first.process.send_signal(signal.SIGINT)
        self.finish(first, 130)

    def test_a_time_cap_holds_and_names_what_is_left(self):
        self.skip_figures()
        started = time.monotonic()
        result = self.finish(self.start(*FOUR, "--case-time", "3s", "--precision", "0.01%", "--max-time", "12s"), 0)
        self.assertLess(time.monotonic() - started, 22)
        self.assertIn("--max-time ended it", result.err)
        self.assertLess(len(self.profiles()), 4)

    def test_a_case_that_fails_or_does_not_fit_is_a_row_with_its_reason(self):
        (self.folder.path / "sitecustomize.py").write_text(
            "import json, os\n"
            "from stash import machine, shared_names\n"
            "def hooked(torch, original=machine.machine_facts):\n"
            "    with open(os.environ[shared_names.ORDER_VARIABLE]) as file:\n"
            '        if json.load(file)["job"]["model"] == "squeezenet1_0":\n'
            '            raise OSError("on fire")\n'
            "    return original(torch)\n"
            'if os.environ.get(shared_names.CREW_INDEX_VARIABLE) == "1": machine.machine_facts = hooked\n')
        path = f"{os.environ.get('PYTHONPATH', '')}:{self.folder.path}"
        self.skip_figures()
        run = program.Run("characterize", "--out", self.out, *MODELS, *QUICK, "--batches", "4,100000", PYTHONPATH=path)
        self.finish(run, 0)
        rows = {case["name"]: case for case in json.loads((self.out / "summary.json").read_text())["cases"]}
        states = sorted((case["model"], case["batch"], case["state"]) for case in rows.values())
        self.assertEqual(states, [("shufflenet_v2_x0_5", 4, "finished"), ("shufflenet_v2_x0_5", 100000, "unfit"),
                                  ("squeezenet1_0", 4, "failed"), ("squeezenet1_0", 100000, "unfit")])
        failed = next(case for case in rows.values() if case["state"] == "failed")
        self.assertIn("on fire", failed["why"])
        again = self.finish(self.start(), 0)
        self.assertIn("0 of 4 cases finished by this call, 0 failed", again.err)
        retried = self.finish(self.start("--retry"), 0)
        self.assertIn("1 of 4 cases finished by this call", retried.err)


if __name__ == "__main__":
    unittest.main()
