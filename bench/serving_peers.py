#!/usr/bin/env python3
"""Model servers side by side: the same model, client and arrivals.

    python3 bench/serving_peers.py [--servers stash,mosec,litserve,triton] [--python PYTHON,ray=PYTHON] [--sleep 0]

PYTHON has the peers: pip install mosec==0.9.8 litserve==0.2.19 nvidia-pytriton==0.7.0 (which needs a Python that was
built with the system's own libraries), ray[serve]==2.60.0, bentoml==1.4.39, mlserver==1.7.1, kserve==0.21.0; those that
cannot be installed together have an interpreter of their own. It takes an idle machine.

The model sleeps for 10 ms per batch of up to 8, or does nothing (--sleep 0); peers wait up to 5 ms for a batch to fill.
`stash load` sends the same arrivals to each, drawn once, and latency counts from the planned time. What a server adds is
the difference to one that costs nothing, with these very arrivals: a batch leaves as soon as the device is free, with
all that wait. Then the highest rate of a ladder at which 99 % of the requests were answered within the objective, and,
where the model does nothing, the latency at half of that rate.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from peer_servers import BATCH, peer_servers

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
STASH = os.path.join(ROOT, "build", "release", "bin", "stash")
PORT = 18600
LEAST_WITHIN = 0.99
SLEEP_LADDER = (0.5, 0.7, 0.8, 0.85, 0.9, 0.95)  # of what the model can do
EMPTY_LADDER = (500, 1000, 2000, 4000, 6000, 8000, 12000, 16000, 24000, 32000, 48000, 64000)


class Plan:
    """Poisson arrivals, as a file that `stash load` reads."""

    def __init__(self, folder, rate, seconds):
        chance = random.Random(1)
        self.times, at = [], 0.0
        while at < seconds:
            at += chance.expovariate(rate)
            self.times.append(at - (self.times[0] if self.times else 0))
        self.times[0] = 0.0
        self.file = os.path.join(folder, f"arrivals_{rate:g}_{seconds:g}.csv")
        with open(self.file, "w") as file:
            file.write("time_s\n")
            file.writelines(f"{one:.9f}\n" for one in self.times)

    def latencies_of_free_server(self, sleep):
        """p50 and p99 where only the model takes time."""
        free, first, found = 0.0, 0, []
        while first < len(self.times):
            start = max(free, self.times[first])
            last = first
            while last < len(self.times) and last - first < BATCH and self.times[last] <= start:
                last += 1
            free = start + sleep
            found += [free - one for one in self.times[first:last]]
            first = last
        found.sort()
        return {share: found[int(len(found) * share)] for share in (0.5, 0.99)}


class Started:
    def __init__(self, peer):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(peer.command, stdout=self.log, stderr=subprocess.STDOUT, cwd=peer.folder,
                                        env={**os.environ, **peer.environment}, start_new_session=True)
        self.target = f"http://127.0.0.1:{PORT}{peer.path}"
        self.body = peer.body

    def load(self, arrivals, objective):
        ended = subprocess.run([STASH, "load", *arrivals, "--post", self.body, "--objective", f"{objective}s",
                                "--timeout", "5s", "--format", "json", self.target], capture_output=True, text=True)
        return json.loads(ended.stdout) if ended.stdout else None

    def wait(self):
        for _ in range(200):
            if self.process.poll() is not None:
                break
            found = self.load(["--rate", "20", "--for", "0.3s"], 1)
            if found and found["answered"] > 0 and found["failed"] == 0:
                return True
            time.sleep(0.2)
        return False

    def last_words(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace").strip().splitlines()[-1:]

    def stop(self):
        for number, patience in ((signal.SIGTERM, 20), (signal.SIGKILL, 20)):
            try:
                os.killpg(self.process.pid, number)
                self.process.wait(timeout=patience)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue
        self.log.close()


def highest_rate(server, options):
    def holds(rate):
        found = server.load(["--rate", str(rate), "--for", f"{options.seconds / 2}s"], options.objective)
        return found and (found["latency"]["within_objective_ratio"] or 0) >= LEAST_WITHIN
    best = 0
    for rate in options.ladder:
        if not holds(rate) and not holds(rate):  # one bad moment of the machine is not held against a server
            break
        best = rate
    return best


def added(found, floor):
    return " | ".join(f"{found['latency'][key] * 1e3:.2f} ms" for key in ("p50_s", "p99_s")) + " | " + " | ".join(
        f"{(found['latency'][key] - floor[share]) * 1e3:.2f} ms" for key, share in (("p50_s", 0.5), ("p99_s", 0.99)))


def measure(server, options, plan, floor, folder):
    found = server.load(["--trace", plan.file], options.objective)
    row = f"{added(found, floor)} | {found['client_late_s'] * 1e3:.2f} ms"
    best = highest_rate(server, options)
    row += f" | {best}"
    if options.sleep == 0 and best:
        half = Plan(folder, best / 2, options.seconds)
        row += f" | {added(server.load(['--trace', half.file], options.objective), {0.5: 0, 0.99: 0})}"
    return row


def interpreters(text):
    pythons = {"": sys.executable}
    for one in text.split(",") if text else []:
        name, _, path = one.rpartition("=")
        pythons[name] = os.path.abspath(path)
    return pythons


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--servers", default="stash,stash-fixed,stash-at-once,mosec,litserve,triton")
    parser.add_argument("--python", default="")
    parser.add_argument("--sleep", type=float, default=0.01)
    parser.add_argument("--rate", type=float, help="default: half of what a model can do that sleeps; 200")
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--objective", type=float, default=0.05)
    options = parser.parse_args()
    top = BATCH / options.sleep if options.sleep else 0
    options.ladder = [round(top * share) for share in SLEEP_LADDER] if top else EMPTY_LADDER
    rate = options.rate or (top / 2 if top else 200)
    with tempfile.TemporaryDirectory() as folder:
        plan = Plan(folder, rate, options.seconds)
        floor = plan.latencies_of_free_server(options.sleep)
        print(f"{rate:g} per second; with a server that costs nothing p50 {floor[0.5] * 1e3:.2f} ms, "
              f"p99 {floor[0.99] * 1e3:.2f} ms; 1 minute load {os.getloadavg()[0]:.1f}")
        print("| server | p50 | p99 | added at p50 | at p99 | client late | highest rate |"
              + (" p50 at half of it | p99 | added at p50 | at p99 |" if options.sleep == 0 else ""), flush=True)
        known = peer_servers(STASH, interpreters(options.python), options.sleep, PORT, folder)
        for name in options.servers.split(","):
            server = Started(known[name])
            try:
                ready = server.wait()
                print(f"| {name} | " + (measure(server, options, plan, floor, folder) + " |" if ready else
                                        f"did not start: {server.last_words()} |"), flush=True)
            finally:
                server.stop()


if __name__ == "__main__":
    main()
