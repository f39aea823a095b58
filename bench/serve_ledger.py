#!/usr/bin/env python3
"""Delays of known size go into requests; are they found in their part of the ledger?

    python3 bench/serve_ledger.py [--only queue]

Twenty cases: slow gathering, late notice of a batch's end, slow clients, long queues, small batches, batches that wait.
The first two go into the server (`serve bench --inject`). A slow client holds back the second half of its request. What
queues and batches cost follows from the arrivals, which are drawn once and sent by `stash load --trace`. Prints what
went in, what the part shows, and the difference in points of the mean latency; fails where that is 3 or more, or where
the parts do not add up to the latency.
"""

import argparse
import http.client
import json
import os
import random
import re
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
STASH = os.path.join(ROOT, "build", "release", "bin", "stash")
MOST_POINTS = 3
ROUNDING_S = 1e-7


class Server:
    def __init__(self, *words):
        self.process = subprocess.Popen([STASH, "serve", "--port", "0", *words], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.terminate()
        self.process.wait()

    def ledger(self):
        """Mean latency and mean of each part, of all answered requests."""
        client = http.client.HTTPConnection("127.0.0.1", self.port)
        client.request("GET", "/metrics")
        text = client.getresponse().read().decode()
        client.close()
        count = float(re.search(r"stash_request_seconds_count\{.*\} (\S+)", text)[1])
        latency = float(re.search(r"stash_request_seconds_sum\{.*\} (\S+)", text)[1])
        parts = re.findall(r'stash_request_part_seconds_total\{.*part="(\w+)"\} (\S+)', text)
        return latency / count, {name: float(value) / count for name, value in parts}


def injected(part, delay, *words):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "served.json")
        subprocess.run([STASH, "serve", "bench", "--model", "sleep:10ms", "--rate", "40", "--for", "6s", "--inject",
                        f"{part}={delay * 1e3:g}ms", "--out", file, *words], capture_output=True)
        with open(file) as text:
            found = json.load(text)
    parts = {name: one["s"] for name, one in found["parts"].items() if one}
    return delay, found["latency"]["mean_s"], parts


def slow_client(delay):
    tensor = struct.pack("<16f", *range(16))
    head = json.dumps({"inputs": [{"name": "input", "datatype": "FP32", "shape": [1, 16],
                                   "parameters": {"binary_data_size": len(tensor)}}]}).encode()
    request = (f"POST /v2/models/sleep/infer HTTP/1.1\r\nHost: x\r\nInference-Header-Content-Length: {len(head)}\r\n"
               f"Content-Length: {len(head) + len(tensor)}\r\n\r\n").encode() + head + tensor
    waits = []
    with Server("--model", "sleep:10ms") as server, socket.create_connection(("127.0.0.1", server.port)) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(60):
            client.sendall(request[:-32])
            begun = time.monotonic()
            time.sleep(delay)
            client.sendall(request[-32:])
            waits.append(time.monotonic() - begun)
            client.recv(65536)
        latency, parts = server.ledger()
    return statistics.mean(waits), latency, parts


def expected_waits(times, work, most, timeout):
    """Mean wait for the device, and mean wait for the batch while the device is free."""
    free, first, queue, wait = 0.0, 0, 0.0, 0.0
    while first < len(times):
        full = times[first + most - 1] if first + most <= len(times) else float("inf")
        start = max(free, min(times[first] + timeout, full))
        last = first
        while last < len(times) and last - first < most and times[last] <= start:
            busy = max(0.0, free - times[last])
            queue += busy
            wait += start - times[last] - busy
            last += 1
        free, first = start + work, last
    return queue / len(times), wait / len(times)


def arrivals(part, work, rate, most, timeout):
    chance, times, at = random.Random(1), [], 0.0
    while at < 6:
        times.append(at)
        at += chance.expovariate(rate)
    queue, wait = expected_waits(times, work, most, timeout)
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file, \
            Server("--model", f"sleep:{work * 1e3:g}ms", "--max-batch", str(most), "--batching", "fixed",
                   "--batch-timeout", f"{timeout * 1e3:g}ms") as server:
        file.write("time_s\n" + "".join(f"{one:.9f}\n" for one in times))
        file.flush()
        subprocess.run([STASH, "load", "--trace", file.name, f"127.0.0.1:{server.port}/sleep"], capture_output=True)
        latency, parts = server.ledger()
    return {"queue": queue, "batch_wait": wait}[part], latency, parts


def cases():
    for delay in (0.001, 0.002, 0.005, 0.01):
        yield f"slow gather, {delay * 1e3:g} ms", "gather", lambda d=delay: injected("gather", d, "--input", "gather")
    for delay in (0.001, 0.002, 0.005, 0.01):
        yield f"late completion, {delay * 1e3:g} ms", "notify", lambda d=delay: injected("notify", d)
    for delay in (0.002, 0.005, 0.01, 0.02):
        yield f"slow client, {delay * 1e3:g} ms", "receive", lambda d=delay: slow_client(d)
    for rate in (50, 70, 80, 90):
        yield f"long queue, {rate} per second", "queue", lambda r=rate: arrivals("queue", 0.01, r, 1, 0)
    for most, rate in ((2, 150), (4, 300)):
        yield f"small batches, up to {most}", "queue", lambda m=most, r=rate: arrivals("queue", 0.01, r, m, 0)
    for timeout in (0.004, 0.008):
        yield (f"batches that wait {timeout * 1e3:g} ms", "batch_wait",
               lambda t=timeout: arrivals("batch_wait", 0.001, 50, 8, t))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="the part to look at")
    only = parser.parse_args().only
    print("| what went in | part | expected | found | difference, points of the latency |\n|---|---|---|---|---|")
    worst, failed = 0.0, False
    for name, part, run in cases():
        if only not in part:
            continue
        expected, latency, parts = run()
        points = 100 * (parts.get(part, 0) - expected) / latency
        rest = abs(sum(parts.values()) - latency)
        worst = max(worst, abs(points))
        failed = failed or abs(points) >= MOST_POINTS or rest > ROUNDING_S
        print(f"| {name} | {part} | {expected * 1e3:.2f} ms | {parts.get(part, 0) * 1e3:.2f} ms | {points:+.2f} |"
              + (f" the parts miss the latency by {rest:.1e} s" if rest > ROUNDING_S else ""), flush=True)
    print(f"largest difference: {worst:.2f} points; 1 minute load {os.getloadavg()[0]:.1f}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
