"""Loads a real model again and again while it serves: requests lost, doubled or of a half-loaded model, and the gap.

    bench/serve_reload.py [--reloads N] [--way swap|stop] [--rate N] [--device cpu]

The model adds a number to every sample that is made when it is loaded, so each answer tells which version gave it; a
version's answers must all be of one version, and versions must follow each other.
"""

import argparse
import http.client
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).parents[1]
MODEL = '''
import pathlib, torch
inputs = [{"name": "x", "datatype": "FP32", "shape": [-1, 1]}]
def load():
    number = float(pathlib.Path(__file__).with_suffix(".txt").read_text())
    weights = torch.full((1000,), number)
    return lambda x: torch.cat([x, weights[:x.shape[0], None], weights[-x.shape[0]:, None]], 1)
'''


def ask(port, method, path, body=None):
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    client.request(method, path, body)
    answer = client.getresponse()
    content = answer.read()
    client.close()
    return answer.status, content


class Client(threading.Thread):
    """Asks one after the other on one connection, and checks what comes."""

    def __init__(self, port, seed, stop):
        super().__init__()
        self.port, self.seed, self.stop = port, seed, stop
        self.answers, self.faults = 0, []

    def run(self):
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        value, last = float(self.seed), 0.0
        while not self.stop.is_set():
            value = (value + 4) % 1000000
            body = json.dumps({"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 1], "data": [value]}]})
            client.request("POST", "/v2/models/versioned/infer", body)
            answer = client.getresponse()
            content = answer.read()
            self.answers += 1
            if answer.status != 200:
                self.faults.append(content[:200])
                continue
            own, first, second = json.loads(content)["outputs"][0]["data"]
            if own != value or first != second or first < last:
                self.faults.append(f"sent {value}, got {own}, {first}, {second} after version {last}")
            last = first
        client.close()


def metric(port, name):
    for line in ask(port, "GET", "/metrics")[1].decode().splitlines():
        if line.startswith(name + "{"):
            return float(line.rsplit(" ", 1)[1])
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--reloads", type=int, default=20)
    parser.add_argument("--way", default="swap", choices=["swap", "stop"])
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "versioned.py"
        file.write_text(MODEL)
        file.with_suffix(".txt").write_text("1")
        server = subprocess.Popen([os.environ.get("STASH_PROGRAM_FILE", ROOT / "stash"), "serve", "--device", options.device, "--reload", options.way,
                                   "--port", "0", "--model", f"py:{file}:load"], stdout=subprocess.PIPE, text=True)
        port = int(server.stdout.readline().rsplit(":", 1)[1])
        stop, gaps, loads = threading.Event(), [], []
        clients = [Client(port, i, stop) for i in range(4)]
        for one in clients:
            one.start()
        for i in range(options.reloads):
            file.with_suffix(".txt").write_text(str(i + 2))
            started = time.monotonic()
            status, answer = ask(port, "POST", "/v2/repository/models/versioned/load")
            if status != 200:
                raise SystemExit(answer)
            loads.append(time.monotonic() - started)
            gaps.append(metric(port, "stash_reload_gap_seconds"))
        stop.set()
        for one in clients:
            one.join()
        server.terminate()
        server.wait()
    faults = [fault for one in clients for fault in one.faults]
    print(f"{len(loads)} reloads ({options.way}), {sum(one.answers for one in clients)} answers, "
          f"{len(faults)} faults")
    print(f"gap: median {statistics.median(gaps) * 1e3:.3f} ms, largest {max(gaps) * 1e3:.3f} ms; "
          f"a load takes {statistics.median(loads):.2f} s")
    for fault in faults[:5]:
        print(fault)


if __name__ == "__main__":
    main()
