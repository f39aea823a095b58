"""`stash fleet replay` as a user calls it: what it prints, in every format, and what it says to bad input."""

import csv
import io
import unittest

import program

program.require_program(extension=False)

POLICIES = ("mark", "reactive", "best-single", "peak")  # those that need no solver, in a second
SETTING = ("--market", "mark-inception", "--objective", "500ms")


def minutes(count, hole=()):
    rows = [f"{i},{0 if i in hole else 3000 + 1500 * (i % 30 == 2)}" for i in range(count)]
    return "minute,requests\n" + "\n".join(rows) + "\n"


class FleetReplay(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = program.Folder()
        cls.addClassCleanup(cls.folder.close)
        cls.write("load.csv", minutes(180, hole=range(100, 120)))

    @classmethod
    def write(cls, name, text):
        (cls.folder.path / name).write_text(text, encoding="utf-8")

    def call(self, *arguments, trace="load.csv"):
        return program.Run("fleet", "replay", "--trace", trace, *arguments, cwd=self.folder.path).finish(120)

    def replay(self, *arguments):
        result = self.call("--policy", ",".join(POLICIES), *SETTING, *arguments)
        self.assertEqual(result.code, 0, result.err)
        return result

    def test_json_has_every_policy_with_its_cost_and_misses(self):
        found = self.replay("--format", "json").json()
        self.assertEqual(found["schema_version"], 1)
        self.assertEqual([policy["name"] for policy in found["policies"]], list(POLICIES))
        requests = sum(3000 + 1500 * (i % 30 == 2) for i in range(180) if i not in range(100, 120))
        for policy in found["policies"]:
            self.assertEqual(policy["requests"], requests)
            self.assertGreater(policy["usd"], 0)
            self.assertLess(policy["missed_ratio"], 0.3)
            self.assertLessEqual(policy["refused_ratio"], policy["missed_ratio"])
            self.assertGreater(policy["p99_s"], 0.05)
            self.assertGreater(sum(policy["machine_hours"].values()), 0)
            series = policy["series"]
            self.assertEqual(sum(series["requests"]), requests)
            self.assertAlmostEqual(sum(series["usd"]), policy["usd"], places=6)
            self.assertGreater(len(policy["decisions"]), 0)
            self.assertTrue(all(one["reason"] for one in policy["decisions"]))
        self.assertAlmostEqual(found["recorded_s"], 160 * 60)
        self.assertTrue(any("left out" in warning for warning in found["warnings"]))

    def test_text_begins_with_the_verdict(self):
        found = self.replay("--format", "json").json()
        text = self.replay().out
        self.assertEqual(text.splitlines()[0], found["verdict"])
        for policy in POLICIES:
            self.assertRegex(text, rf"(?m)^  {policy} +\$\d")

    def test_seeds_give_intervals_and_a_row_each(self):
        found = self.replay("--seeds", "3", "--format", "json").json()["policies"][0]
        self.assertEqual(found["seeds"], 3)
        self.assertLessEqual(found["usd_low"], found["usd"])
        self.assertLessEqual(found["usd"], found["usd_high"])
        rows = list(csv.DictReader(io.StringIO(self.replay("--seeds", "2", "--format", "csv").out)))
        self.assertEqual([(row["policy"], row["seed"]) for row in rows[:3]], [("mark", "1"), ("mark", "2"), ("reactive", "1")])

    def test_a_kill_now_and_then_is_counted(self):
        found = self.replay("--kill-every", "300s", "--format", "json").json()
        for policy in found["policies"]:
            self.assertGreater(policy["killed"], 10)
            self.assertLess(policy["missed_ratio"], 0.9)

    def test_spot_machines_of_a_market_file_are_rented_taken_away_and_replaced(self):
        self.write("spot.toml", """model = "ours"
[[machine]]
name = "gpu"
usd_per_hour = 1.0
spot_usd_per_hour = 0.2
interruptions_per_hour = 2
start = "90s"
batches = [[1, "10ms"], [8, "24ms"], [32, "80ms"]]
[[function]]
name = "burst"
usd_per_s = 0.00005
usd_per_request = 0.0000002
work = "100ms"
cold_start = "3s"
""")
        self.write("steady.csv", "minute,requests\n" + "".join(f"{i},40000\n" for i in range(360)))
        result = self.call("--policy", "stash,peak", "--market", "spot.toml", "--objective", "200ms", "--format", "json",
                           trace="steady.csv")
        if "coinor-libcbc3" in result.err:
            self.skipTest("the solver CBC is not installed")
        self.assertEqual(result.code, 0, result.err)
        ours, peak = result.json()["policies"]
        self.assertGreater(ours["taken_away"], 1)
        self.assertLess(ours["missed_ratio"], 0.02)
        self.assertEqual(peak["taken_away"], 0)
        self.assertLess(ours["usd"], peak["usd"])
        spot_hours, hours = ours["spot_hours"]["gpu"], ours["machine_hours"]["gpu"]
        self.assertGreater(spot_hours, 1)
        # At most seven tenths of the load depend on them: the rest is on demand all the time.
        self.assertGreater(hours - spot_hours, 5.5)

    def test_scaled_traffic_is_larger(self):
        once, twice = (self.replay("--scale", ratio, "--format", "json").json()["policies"][3] for ratio in ("1", "2"))
        self.assertEqual(twice["requests"], 2 * once["requests"])
        self.assertGreater(twice["usd"], once["usd"])

    def test_bad_input_is_told_in_a_sentence(self):
        self.write("late.csv", "minute,requests\n0,5\n2,5\n1,5\n")
        self.write("negative.csv", "time,requests\n0,5\n60,-5\n")
        self.write("zones.csv", "timestamp,count\n2021-01-01T00:00:00Z,5\n2021-01-01T00:01:00,5\n")
        self.write("empty.csv", "")
        self.write("other.csv", "colour,size\n1,2\n")
        for arguments, trace, code, said in (
                (SETTING, "late.csv", 1, "late.csv, line 4: goes back in time"),
                (SETTING, "negative.csv", 1, "negative.csv, line 3: -5 requests are fewer than none"),
                (SETTING, "zones.csv", 1, "line 3: '2021-01-01T00:01:00' has no time zone"),
                (SETTING, "empty.csv", 1, "empty.csv is empty"),
                (SETTING, "other.csv", 1, "no column of times"),
                (SETTING, "none.csv", 1, "cannot read none.csv"),
                ((*SETTING, "--days", "2"), "load.csv", 2, "--days 2: the trace has 1 day"),
                ((*SETTING, "--policy", "stsh"), "load.csv", 2, "stash"),
                ((*SETTING, "--policy", "mark,mark"), "load.csv", 2, "names mark twice"),
                ((*SETTING, "--seeds", "0"), "load.csv", 2, "--seeds 0 must be"),
                ((*SETTING, "--kill-every", "0s"), "load.csv", 2, "--kill-every"),
                ((*SETTING, "--meet", "100%"), "load.csv", 2, "--meet 100%"),
                (("--market", "mark-inception"), "load.csv", 2, "--objective 200ms"),
                (("--market", "mark-inception", "--objective", "1ms"), "load.csv", 2, "objective")):
            with self.subTest(trace=trace, arguments=arguments):
                result = self.call(*arguments, trace=trace)
                self.assertEqual(result.code, code, result.err)
                self.assertIn(said, result.err)
                self.assertEqual(result.out, "")


if __name__ == "__main__":
    unittest.main()
