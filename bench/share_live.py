#!/usr/bin/env python3
"""What `stash share` brings to real jobs on an emulated accelerator, against its targets.

    bench/share_live.py --stash ./stash gain|mixes|makespan|fixed|curves|costs [--seed N] [--mixes N]

The jobs' workers wait for each sample (`--inject prep=…`, `read=…`), so that eight workers fit on two cores.

gain      a bimodal mix: the gain over an even split, measured by the pool in alternating windows
mixes     drawn mixes of jobs bound by decoding, storage or compute: never below an even split
makespan  a series of arriving and ending jobs, by need and evenly
fixed     every fixed split of the bimodal mix, beside what the pool finds
curves    throughput at numbers of workers that were not tried, predicted and measured
costs     CPU of an idle pool, time to join, time until a decision arrives
"""

import argparse
import contextlib
import json
import pathlib
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

WORKERS = 8
KINDS = {"decoding": "prep=40ms/sample", "storage": "read=25kB/s", "compute": "prep=1ms/sample"}


class Bench:
    def __init__(self, options, folder):
        self.stash = str(pathlib.Path(options.stash).absolute())
        self.python = options.python
        self.folder = folder
        self.socket = folder / "pool"
        self.tokens = folder / "tokens"
        self.call("dataset", "make", "--tokens", 200_000, self.tokens)

    def call(self, *arguments):
        done = subprocess.run([self.stash, *map(str, arguments)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{arguments}: {done.stderr}")
        return done.stdout

    def train(self, inject, *arguments):
        return ["share", "train", "--timeout", "180s", "--python", self.python, "--model", "gpt2", "--seq-len", "64", "--batch", "8", "--ranks", "1",
                "--device", "emulated:H200", "--data", str(self.tokens), "--inject", inject, *map(str, arguments)]

    @contextlib.contextmanager
    def pool(self, *arguments):
        command = [self.stash, "share", "pool", "--socket", self.socket, "--cores", 2, "--workers-per-core", WORKERS // 2,
                   "--ignore-load", *arguments]
        process = subprocess.Popen([*map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while not self.socket.exists():
                time.sleep(0.01)
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()

    def state(self):
        return json.loads(self.call("share", "status", "--socket", self.socket, "--format", "json"))

    def series(self, jobs, *arguments, gpus=None):
        """The report of `stash share run`; jobs are (name, inject, arguments)."""
        text = f"gpus = {gpus}\n" if gpus else ""
        for name, inject, more in jobs:
            text += f"[[job]]\nname = {json.dumps(name)}\ncommand = {json.dumps(['stash', *self.train(inject, *more)])}\n"
        file = self.folder / "jobs.toml"
        file.write_text(text)
        return json.loads(self.call("share", "run", file, "--socket", self.socket, "--logs", self.folder / "logs", "--cores", 2,
                                    "--workers-per-core", WORKERS // 2, "--ignore-load", "--format", "json", *arguments))

    def alone(self, inject, workers, seconds):
        """Samples per second with a fixed number of workers."""
        out = self.call(*self.train(inject, "--workers", workers, "--max-time", f"{seconds}s", "--socket",
                                    self.folder / "none", "--format", "json"))
        return json.loads(out)["per_s"]


def gain_text(gain):
    return f"{100 * gain['ratio']:+.1f} % ({100 * gain['low_ratio']:+.1f} to {100 * gain['high_ratio']:+.1f} %)"


def bimodal(bench, options):
    jobs = [(name, KINDS[name], ("--max-time", f"{options.seconds}s")) for name in ("decoding", "compute")]
    gain = bench.series(jobs, "--measure-gain", "6s", "--report-every", "500ms")["gain"]
    print(f"bimodal mix: {gain_text(gain)} over an even split, {gain['pairs']} pairs; target +28.9 %")


def mixes(bench, options):
    worst = None
    for number in range(options.first, options.first + options.mixes):
        draw = random.Random(f"{options.seed} {number}")
        kinds = [draw.choice(sorted(KINDS)) for _ in range(draw.choice((2, 3)))]
        jobs = []
        for place, kind in enumerate(kinds):
            scale = draw.uniform(0.5, 1.5)
            inject = {"decoding": f"prep={40 * scale:.1f}ms/sample", "storage": f"read={int(25000 * scale)}B/s",
                      "compute": f"prep={scale:.2f}ms/sample"}[kind]
            jobs.append((f"{kind}-{place}", inject, ("--max-time", f"{options.seconds}s")))
        gain = bench.series(jobs, "--measure-gain", "4s", "--report-every", "500ms")["gain"]
        if gain is None or gain["low_ratio"] is None:
            print(f"mix {number}: {kinds}: too few windows")
            continue
        verdict = "" if gain["high_ratio"] >= 0 else "  BELOW AN EVEN SPLIT"
        worst = min(worst if worst is not None else gain["ratio"], gain["ratio"])
        print(f"mix {number}: {', '.join(kinds)}: {gain_text(gain)}{verdict}", flush=True)
    print(f"worst of {options.mixes} mixes: {100 * worst:+.1f} %")


def makespan(bench, options):
    jobs = []
    for number in range(3):
        jobs.append((f"decoding-{number}", KINDS["decoding"], ("--samples", 10000, "--max-time", "600s")))
        jobs.append((f"compute-{number}", KINDS["compute"], ("--samples", 20000, "--max-time", "600s")))
    took = {policy: bench.series(jobs, "--policy", policy, gpus=2)["makespan_s"] for policy in ("even", "need")}
    print(f"makespan: {took['even']:.1f} s evenly, {took['need']:.1f} s by need: "
          f"{100 * (1 - took['need'] / took['even']):.1f} % shorter; target 10 %")


def fixed(bench, options):
    even = None
    rates = {}
    for mine in range(1, WORKERS):
        rates[mine] = (bench.alone(KINDS["decoding"], mine, 12), bench.alone(KINDS["compute"], WORKERS - mine, 12))
    even = rates[WORKERS // 2]
    score = {mine: sum(a / b for a, b in zip(pair, even, strict=True)) / 2 for mine, pair in rates.items()}
    best = max(score, key=score.get)
    jobs = [(name, KINDS[name], ("--max-time", "40s")) for name in ("decoding", "compute")]
    state = bench.series(jobs)
    ends = {job["name"]: job["points"][-12:-2] for job in state["jobs"]}
    own = {name: sum(p["per_s"] * p["lasted_s"] for p in points) / sum(p["lasted_s"] for p in points)
           for name, points in ends.items()}
    found = (own["decoding"] / even[0] + own["compute"] / even[1]) / 2
    print(f"best fixed split: {best} and {WORKERS - best} workers, {score[best]:.3f} of the even split; the pool "
          f"{found:.3f}, {100 * (found / score[best] - 1):+.1f} %; target within 2 %")


def curves(bench, options):
    errors = []
    for sample_ms in options.sample_ms:
        kind = f"{sample_ms} ms per sample"
        inject = f"prep={sample_ms}ms/sample"
        with bench.pool("--report-every", "500ms"):
            other = subprocess.Popen([bench.stash, *bench.train(KINDS["decoding"], "--max-time", "300s", "--socket", bench.socket)],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            job = subprocess.Popen([bench.stash, *bench.train(inject, "--max-time", "300s", "--socket", bench.socket,
                                                              "--name", "probed")],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while not any(one["name"] == "probed" and one["by_workers_per_s"] for one in bench.state()["jobs"]):
                time.sleep(0.5)
            time.sleep(15)  # until it was tried with another number
            state = bench.state()
            tried = {moment["workers"].get("probed") for moment in state["moments"]}
            curve = next(one for one in state["jobs"] if one["name"] == "probed")["by_workers_per_s"]
            for process in (job, other):
                process.send_signal(signal.SIGTERM)
                process.wait()
        for workers in range(1, WORKERS + 1):
            if workers in tried:
                continue
            measured = bench.alone(inject, workers, 10)
            error = curve[workers - 1] / measured - 1
            errors.append(abs(error))
            print(f"{kind}, {workers} workers: predicted {curve[workers - 1]:.1f}, measured {measured:.1f}: {100 * error:+.1f} %")
    errors.sort()
    print(f"median error {100 * statistics.median(errors):.1f} % (target 3 %), "
          f"95th percentile {100 * errors[min(len(errors) - 1, int(0.95 * len(errors)))]:.1f} % (target 10 %)")


def joined(bench, name):
    """A member of the pool by hand: its connection, and the seconds until it was told its workers."""
    connection = socket.socket(socket.AF_UNIX)
    start = time.monotonic()
    connection.connect(str(bench.socket))
    connection.sendall(json.dumps({"message": "join", "protocol": 1, "name": name, "job": name, "rank": 0, "ranks_here": 1,
                                   "pid": 1, "workers": 2, "min_workers": 1, "max_workers": None}).encode() + b"\n")
    connection.recv(65536)
    return connection, time.monotonic() - start


def costs(bench, options):
    with bench.pool():
        first, _ = joined(bench, "first")
        joins, decisions = [], []
        for number in range(200):
            start = time.monotonic()
            second, took = joined(bench, f"job-{number}")
            first.recv(65536)
            decisions.append(time.monotonic() - start)
            joins.append(took)
            second.close()
            first.recv(65536)
        first.close()
    print(f"joining: median {1e3 * statistics.median(joins):.2f} ms, most {1e3 * max(joins):.2f} ms; target below 1 s")
    print(f"until another job is told: median {1e3 * statistics.median(decisions):.2f} ms, most {1e3 * max(decisions):.2f} ms; "
          "target 10 ms")
    with bench.pool():
        jobs = [subprocess.Popen([bench.stash, *bench.train(KINDS[kind], "--max-time", "75s", "--socket", bench.socket)],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for kind in sorted(KINDS)]
        time.sleep(30)
        before = bench.state()
        time.sleep(40)
        after = bench.state()
        used = (after["cpu_s"] - before["cpu_s"]) / (after["up_s"] - before["up_s"])
        changes = len(after["moments"]) - len(before["moments"])
        for job in jobs:
            job.wait()
    print(f"pool of three jobs: {100 * used:.3f} % of a core, {changes} changes meanwhile; target 0.1 %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("gain", "mixes", "makespan", "fixed", "curves", "costs"))
    parser.add_argument("--stash", default="./stash")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mixes", type=int, default=50)
    parser.add_argument("--first", type=int, default=0, help="Number of the first mix: mixes can be run in parts")
    parser.add_argument("--seconds", type=int, default=60, help="of each mix")
    parser.add_argument("--sample-ms", type=int, nargs="+", default=[40, 80], help="of the jobs whose curves are compared")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, pathlib.Path(folder))
        {"gain": bimodal, "mixes": mixes, "makespan": makespan, "fixed": fixed, "curves": curves,
         "costs": costs}[options.what](bench, options)


if __name__ == "__main__":
    main()
