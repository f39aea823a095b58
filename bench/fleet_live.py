#!/usr/bin/env python3
"""A trace, live with the local provider and replayed: misses within 1 point, mean latency within 10 %.

    bench/fleet_live.py --stash ./stash --trace per_minute.csv --from 1200 --minutes 60 --speed 10 [--policy mark]

The trace has a column of minutes and one of requests. With --speed 10 the fleet's clock runs ten times as fast as time,
so an hour takes six minutes: the live load has the same rate as the trace and a tenth of its requests; starts, decisions
and prices follow the fleet's clock, batches do not. The fleet is warmed up with the rate of the first minutes; the
replay takes its fleet over. Machines are emulated; their batches take what `--batch` says.
"""

import argparse
import csv
import json
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

WARM_UP_MINUTES = 8  # of the fleet's clock: a policy sees a few minutes, and what it starts is there


def machine(name, usd, single_s, batch_s, start_s):
    return {"name": name, "usd_per_hour": usd, "most_batch": 16, "least_billed_s": 60,
            "times": [{"batch": 1, "s": single_s}, {"batch": 16, "s": batch_s}],
            "start": {"machine": {"median_s": start_s, "p95_s": 1.2 * start_s}}}


def read_rates(options):
    with open(options.trace) as file:
        rows = list(csv.DictReader(file))
    rows = rows[options.first:options.first + options.minutes]
    if len(rows) < options.minutes:
        sys.exit(f"{options.trace} has only {len(rows)} minutes from minute {options.first} on")
    return [float(row["requests"]) * options.scale / 60 for row in rows]


def arrivals(rates, minute_s, seed):
    """Poisson within each minute."""
    draw = random.Random(seed)
    times, at_s = [], 0.0
    for index, rate in enumerate(rates):
        at_s = index * minute_s
        while rate > 0:
            at_s += draw.expovariate(rate)
            if at_s >= (index + 1) * minute_s:
                break
            times.append(at_s)
    return times


def live(options, market, folder, rates):
    minute_s = 60 / options.speed
    plan = folder / "live.csv"
    plan.write_text("time_s\n" + "".join(f"{at:.6f}\n" for at in arrivals(rates, minute_s, options.seed)))
    fleet = subprocess.Popen(
        [options.stash, "fleet", "run", "--provider", "local", "--model", "tiny=sleep:10ms", "--market", market, "--policy",
         options.policy, "--objective", options.objective, "--speed", str(options.speed), "--port", "0", "--folder",
         str(folder / "fleet"), "--format", "json"], stdout=subprocess.PIPE, text=True)
    try:
        target = fleet.stdout.readline().strip().removeprefix("http://") + "/tiny"
        while b"200" not in ready(target):
            time.sleep(0.2)
        load = [options.stash, "load", "--format", "json", "--objective", options.objective, "--connections", "64"]
        first = sum(rates[:5]) / len(rates[:5])
        subprocess.run([*load, "--rate", f"{first:.2f}", "--for", f"{WARM_UP_MINUTES * minute_s}s", target],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        done = subprocess.run([*load, "--trace", str(plan), target], stdout=subprocess.PIPE, text=True, check=False)
    finally:
        fleet.send_signal(signal.SIGINT)
        summary = json.loads(fleet.communicate(timeout=200)[0])
    return json.loads(done.stdout), summary


def ready(target):
    done = subprocess.run(["curl", "-sS", "-i", "--max-time", "2", f"http://{target.partition('/')[0]}/v2/health/ready"],
                          capture_output=True, check=False)
    return done.stdout.split(b"\r\n")[0]


def replay(options, market, folder, rates):
    trace = folder / "replay.csv"
    trace.write_text("minute,requests\n" + "".join(f"{i},{round(rate * 60)}\n" for i, rate in enumerate(rates)))
    done = subprocess.run(
        [options.stash, "fleet", "replay", "--trace", str(trace), "--market", market, "--policy", options.policy,
         "--objective", options.objective, "--seeds", "5", "--format", "json"], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)["policies"][0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stash", default="./stash")
    parser.add_argument("--trace", required=True)
    parser.add_argument("--from", dest="first", type=int, default=0, help="the first minute")
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--speed", type=float, default=1)
    parser.add_argument("--policy", default="mark")
    parser.add_argument("--objective", default="400ms")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--decisions", help="keep the controller's log of decisions in this file")
    options = parser.parse_args()
    options.stash = str(pathlib.Path(options.stash).absolute())
    rates = read_rates(options)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        market = folder / "market.json"
        market.write_text(json.dumps({"model": "tiny", "machines": [machine("small", 0.2, 0.12, 0.3, 60),
                                                                    machine("big", 0.5, 0.06, 0.15, 90)]}))
        replayed = replay(options, str(market), folder, rates)
        sent, summary = live(options, str(market), folder, rates)
        if options.decisions:
            shutil.copyfile(folder / "fleet" / "decisions.jsonl", options.decisions)
    missed = 1 - sent["latency"]["within_objective_ratio"]
    print(f"{len(rates)} minutes, {min(rates):.0f} to {max(rates):.0f} requests per second, policy {options.policy}, "
          f"speed {options.speed:g}")
    print(f"live:   {sent['requests']} requests, {100 * missed:.2f} % missed, mean {1e3 * sent['latency']['mean_s']:.1f} ms, "
          f"{sent['failed']} failed; client late by {1e3 * sent['client_late_s']:.1f} ms; ${summary['usd']:.3f}")
    print(f"        in the proxy, with the warm-up: {100 * summary['missed_ratio']:.2f} % missed, "
          f"mean {1e3 * summary['mean_s']:.1f} ms")
    print(f"replay: {replayed['requests']} requests, {100 * replayed['missed_ratio']:.2f} % missed, "
          f"mean {1e3 * replayed['mean_s']:.1f} ms; ${replayed['usd']:.3f}")
    if sent["rejected"]:
        print(f"rejected: {sent['rejected']}")
    points = 100 * abs(missed - replayed["missed_ratio"])
    ratio = abs(sent["latency"]["mean_s"] / replayed["mean_s"] - 1)
    print(f"misses differ by {points:.2f} points (target: 1), mean latency by {100 * ratio:.1f} % (target: 10 %)")
    return 0 if points <= 1 and ratio <= 0.1 else 1


if __name__ == "__main__":
    sys.exit(main())
