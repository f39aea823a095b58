#!/usr/bin/env python3
"""Faults of a live fleet: machines killed at random, the controller killed, HAProxy reloaded, under an open-loop load.

    bench/fleet_faults.py --stash ./stash [--minutes 10] [--every 60] [--rate 90] [--launch 20]

Every so many seconds a machine is killed (SIGKILL), and in turn the controller is killed and started again, or HAProxy is
reloaded. Counted are the requests that failed (no answer, a broken connection, another status than 200 and 503) and how
long it took until as many machines were ready as before. Targets: no request fails other than those on the killed
machine; recovery within one launch time.
"""

import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

LOOK_S = 0.1
BEHIND_S = 3  # for the loss to be seen and for the process to start, beside the launch time


class Fleet:
    def __init__(self, options, folder):
        self.folder = folder / "fleet"
        market = folder / "market.json"
        start = {"machine": {"median_s": options.launch, "p95_s": options.launch}}
        market.write_text(json.dumps({"model": "tiny", "machines": [
            {"name": "small", "usd_per_hour": 0.2, "most_batch": 8, "start": start,
             "times": [{"batch": 1, "s": 0.06}, {"batch": 8, "s": 0.12}]}]}))
        self.command = [options.stash, "fleet", "run", "--provider", "local", "--model", "tiny=sleep:10ms", "--market",
                        str(market), "--objective", "400ms", "--policy", "mark", "--port", "0", "--folder",
                        str(self.folder), "--format", "json"]
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.target = self.process.stdout.readline().strip().removeprefix("http://") + "/tiny"

    def state(self):
        return json.loads((self.folder / "machines.json").read_text())

    def ready(self):
        return [one for one in self.state()["machines"] if one["state"] == "ready"]

    def wait_for(self, number, limit_s):
        """Seconds until so many machines are ready; None: not within the limit."""
        began = time.monotonic()
        while time.monotonic() - began < limit_s:
            if len(self.ready()) >= number:
                return time.monotonic() - began
            time.sleep(LOOK_S)
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stash", default="./stash")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--every", type=float, default=60, help="seconds between kills")
    parser.add_argument("--rate", type=float, default=90)
    parser.add_argument("--launch", type=float, default=20, help="seconds that a machine takes to start")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.stash = str(pathlib.Path(options.stash).absolute())
    draw = random.Random(options.seed)
    recoveries, others = [], []
    with tempfile.TemporaryDirectory() as name:
        fleet = Fleet(options, pathlib.Path(name))
        load = None
        try:
            fleet.wait_for(1, 100)
            load = subprocess.Popen([options.stash, "load", "--format", "json", "--rate", str(options.rate), "--for",
                                     f"{options.minutes + 15}m",
                                     "--objective", "400ms", "--connections", "64", fleet.target],
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            fleet.wait_for(2, 300)
            end = time.monotonic() + 60 * options.minutes
            while time.monotonic() < end:
                next_s = time.monotonic() + options.every
                before = fleet.ready()
                victim = draw.choice(before)
                os.kill(victim["servers"][0]["process"]["pid"], signal.SIGKILL)
                began = time.monotonic()
                while victim["id"] in [one["id"] for one in fleet.ready()]:
                    time.sleep(LOOK_S)
                took = fleet.wait_for(len(before), options.launch + 30)
                recoveries.append(took and time.monotonic() - began)
                other = ("controller killed", "proxy reloaded")[len(others) % 2]
                if other == "controller killed":
                    fleet.process.kill()
                    fleet.process.communicate()
                    time.sleep(2)
                    fleet.start()
                else:
                    os.kill(fleet.state()["proxy"]["pid"], signal.SIGUSR2)
                others.append(other)
                print(f"{victim['id']} killed, recovered in {recoveries[-1]} s; then {other}", flush=True)
                time.sleep(max(next_s - time.monotonic(), 0))
            load.send_signal(signal.SIGINT)
            sent = json.loads(load.communicate(timeout=100)[0])
        finally:
            if load and load.poll() is None:
                load.kill()
            fleet.process.send_signal(signal.SIGINT)
            summary = json.loads(fleet.process.communicate(timeout=200)[0])
    lost = sum(one["machines"] for one in summary["changes"] if one["what"] == "lost")
    print(f"{sent['requests']} requests, {sent['failed']} failed, {sent['refused']} refused as too late; "
          f"{len(recoveries)} machines killed, {lost} counted as lost; {others.count('controller killed')} times the "
          f"controller, {others.count('proxy reloaded')} reloads")
    known = [one for one in recoveries if one]
    print(f"recovery: {len(known)} of {len(recoveries)}, at most {max(known, default=0):.1f} s with a launch of "
          f"{options.launch:g} s")
    is_met = sent["failed"] == 0 and len(known) == len(recoveries) and max(known) <= options.launch + BEHIND_S
    print("met" if is_met else "missed")
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
