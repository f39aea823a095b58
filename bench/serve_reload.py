"""Loads a model again and again while it serves: requests lost, doubled or of a half-loaded model, and the gap.

    bench/serve_reload.py [--reloads N] [--way swap|stop] [--device cpu|emulated:V100]

With a real device, the model adds a number to every sample that is made when it is loaded, so each answer tells which
version gave it; a version's answers must all be of one version, and versions must follow each other. Loading it takes
seconds, nearly all of them for importing torch. With an emulated one, a load takes the time that the weights would need
(resnet18: 4 ms), so a thousand fit into a minute; every answer must be that of its own request.
"""

import argparse
import http.client
import json
import os
import pathlib
import re
import statistics
import struct
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).parents[1]
STASH = os.environ.get("STASH_PROGRAM_FILE", ROOT / "build/release/bin/stash")
MODEL = '''
import pathlib, torch
inputs = [{"name": "x", "datatype": "FP32", "shape": [-1, 1]}]
def load():
    number = float(pathlib.Path(__file__).with_suffix(".txt").read_text())
    weights = torch.full((1000,), number)
    return lambda x: torch.cat([x, weights[:x.shape[0], None], weights[-x.shape[0]:, None]], 1)
'''
PIXELS = 3 * 224 * 224
SCORES = 1000


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
        self.port, self.value, self.stop = port, float(seed), stop
        self.answers, self.faults, self.slowest, self.last = 0, [], 0.0, 0.0

    def run(self):
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        while not self.stop.is_set():
            self.value = (self.value + 4) % 1000000
            body, headers = self.request()
            begun = time.monotonic()
            client.request("POST", f"/v2/models/{self.name_of_model}/infer", body, headers)
            answer = client.getresponse()
            content = answer.read()
            self.slowest = max(self.slowest, time.monotonic() - begun)
            self.answers += 1
            self.check(content) if answer.status == 200 else self.faults.append(content[:200])
        client.close()


class VersionClient(Client):
    name_of_model = "versioned"

    def request(self):
        return json.dumps({"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 1], "data": [self.value]}]}), {}

    def check(self, content):
        own, first, second = json.loads(content)["outputs"][0]["data"]
        if own != self.value or first != second or first < self.last:
            self.faults.append(f"sent {self.value}, got {own}, {first}, {second} after version {self.last}")
        self.last = first


class EchoClient(Client):
    name_of_model = "resnet18"

    def request(self):
        head = json.dumps({"inputs": [{"name": "input", "datatype": "FP32", "shape": [1, 3, 224, 224],
                                       "parameters": {"binary_data_size": 4 * PIXELS}}],
                           "parameters": {"binary_data_output": True}}).encode()
        return (head + struct.pack("<f", self.value) + bytes(4 * PIXELS - 4),
                {"Inference-Header-Content-Length": str(len(head))})

    def check(self, content):
        own, *rest = struct.unpack(f"<{SCORES}f", content[-4 * SCORES:])
        if own != self.value or any(rest):
            self.faults.append(f"sent {self.value}, got {own}")


def metric(port, name):
    found = re.search(rf"^{name}\{{.*\}} (\S+)$", ask(port, "GET", "/metrics")[1].decode(), re.MULTILINE)
    return float(found[1]) if found else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--reloads", type=int, default=20)
    parser.add_argument("--way", default="swap", choices=["swap", "stop"])
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    is_emulated = options.device.startswith("emulated")
    kind = EchoClient if is_emulated else VersionClient
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "versioned.py"
        file.write_text(MODEL)
        file.with_suffix(".txt").write_text("1")
        words = ["--model", "resnet18" if is_emulated else f"py:{file}:load", "--device", options.device]
        if is_emulated:
            words += ["--batch-times", "1=1ms,8=2ms"]
        else:
            words += ["--python", str(ROOT / ".venv/bin/python")]
        server = subprocess.Popen([STASH, "serve", "--reload", options.way, "--port", "0", *words],
                                  stdout=subprocess.PIPE, text=True)
        port = int(server.stdout.readline().rsplit(":", 1)[1])
        stop, gaps, loads = threading.Event(), [], []
        clients = [kind(port, i, stop) for i in range(4)]
        for one in clients:
            one.start()
        for i in range(options.reloads):
            file.with_suffix(".txt").write_text(str(i + 2))
            started = time.monotonic()
            status, answer = ask(port, "POST", f"/v2/repository/models/{kind.name_of_model}/load")
            if status != 200:
                raise SystemExit(answer)
            loads.append(time.monotonic() - started)
            gaps.append(metric(port, "stash_reload_gap_seconds"))
        stop.set()
        for one in clients:
            one.join()
        answered = metric(port, "stash_requests_answered_total")
        server.terminate()
        server.wait()
    faults = [fault for one in clients for fault in one.faults]
    answers = sum(one.answers for one in clients)
    print(f"{len(loads)} reloads ({options.way}), {answers} answers to clients, {answered:.0f} by the server, "
          f"{len(faults)} faults; slowest answer {max(one.slowest for one in clients) * 1e3:.1f} ms; "
          f"a load takes {statistics.median(loads):.3f} s; 1 minute load {os.getloadavg()[0]:.1f}")
    known = sorted(gap for gap in gaps if gap is not None)
    if known:
        print(f"gap: median {statistics.median(known) * 1e3:.3f} ms, largest {known[-1] * 1e3:.3f} ms, over 1 ms: "
              f"{sum(gap > 1e-3 for gap in known)} of {len(known)}")
    for fault in faults[:5]:
        print(fault)


if __name__ == "__main__":
    main()
