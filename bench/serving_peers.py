#!/usr/bin/env python3
"""Model servers side by side: the same model, client and arrivals.

    python3 bench/serving_peers.py [--servers stash,mosec,litserve,triton] [--python PYTHON] [--seconds 10]

PYTHON has the peers: pip install mosec==0.9.8 litserve==0.2.19 nvidia-pytriton==0.7.0, the last of which needs a Python
that was built with the system's own libraries. It takes an idle machine: where the client is late, the figures are
those of its neighbours. The model sleeps for 10 ms per
batch of up to 8, or does nothing (--sleep 0); peers wait up to 5 ms for a batch to fill. `stash load` sends the same
Poisson arrivals to each, and latency counts from the planned time. At half of what the model can do, it prints the
latency and what is added to that of a server that costs nothing (`stash serve predict`, without waiting); then the
highest rate of a ladder at which 99 % of the requests were answered within the objective.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
STASH = os.path.join(ROOT, "build", "release", "bin", "stash")
BATCH = 8
PORT = 18600
LEAST_WITHIN = 0.99

MOSEC = """
import time
from mosec import Server, Worker
class Sleep(Worker):
    def forward(self, data):
        time.sleep({sleep})
        return [{{"y": 1}} for _ in data]
if __name__ == "__main__":
    server = Server()
    server.append_worker(Sleep, num=1, max_batch_size=8, max_wait_time=5)
    server.run()
"""
LITSERVE = """
import time, litserve
class Sleep(litserve.LitAPI):
    def setup(self, device): pass
    def decode_request(self, request): return request["x"]
    def batch(self, inputs): return list(inputs)
    def predict(self, xs):
        time.sleep({sleep})
        return [1] * len(xs)
    def unbatch(self, output): return output
    def encode_response(self, output): return {{"y": output}}
if __name__ == "__main__":
    api = Sleep(max_batch_size=8, batch_timeout=0.005)
    litserve.LitServer(api, accelerator="cpu", workers_per_device=1).run(
        host="127.0.0.1", port={port}, generate_client_file=False, log_level="warning")
"""
TRITON = """
import time, numpy as np
from pytriton.decorators import batch
from pytriton.model_config import DynamicBatcher, ModelConfig, Tensor
from pytriton.triton import Triton, TritonConfig
@batch
def infer(x):
    time.sleep({sleep})
    return {{"y": np.ones((x.shape[0], 1), np.float32)}}
config = TritonConfig(http_port={port}, grpc_port={port} + 1, metrics_port={port} + 2, http_address="127.0.0.1")
with Triton(config=config) as triton:
    triton.bind(model_name="sleep", infer_func=infer, inputs=[Tensor(name="x", dtype=np.float32, shape=(1,))],
                outputs=[Tensor(name="y", dtype=np.float32, shape=(1,))], strict=False,
                config=ModelConfig(max_batch_size=8, batcher=DynamicBatcher(max_queue_delay_microseconds=5000)))
    triton.serve()
"""
JSON_16 = json.dumps({"inputs": [{"name": "input", "datatype": "FP32", "shape": [1, 16], "data": [1] * 16}]})
JSON_1 = json.dumps({"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 1], "data": [1]}]})


def servers(options, folder):
    """(command, path, body) by name."""
    def script(name, text):
        path = os.path.join(folder, name + ".py")
        with open(path, "w") as file:
            file.write(text.format(sleep=options.sleep, port=PORT))
        return [options.python, path]
    stash = [STASH, "serve", "--model", f"sleep:{options.sleep}s", "--max-batch", str(BATCH), "--port", str(PORT)]
    infer = "/v2/models/sleep/infer"
    return {"stash": (stash, infer, JSON_16),
            "stash-fixed": ([*stash, "--batching", "fixed", "--batch-timeout", "5ms"], infer, JSON_16),
            "mosec": ([*script("mosec_sleep", MOSEC), "--port", str(PORT), "--timeout", "30000"], "/inference",
                      '{"x": 1}'),
            "litserve": (script("litserve_sleep", LITSERVE), "/predict", '{"x": 1}'),
            "triton": (script("triton_sleep", TRITON), infer, JSON_1)}


class Started:
    def __init__(self, command, path, body):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True)
        self.target = f"http://127.0.0.1:{PORT}{path}"
        self.body = body

    def load(self, rate, seconds, objective):
        ended = subprocess.run([STASH, "load", "--rate", str(rate), "--for", f"{seconds}s", "--post", self.body,
                                "--objective", f"{objective}s", "--format", "json", self.target],
                               capture_output=True, text=True)
        return json.loads(ended.stdout) if ended.stdout else None

    def wait(self):
        for _ in range(600):
            if self.process.poll() is not None:
                break
            found = self.load(20, 0.3, 1)
            if found and found["answered"] > 0 and found["failed"] == 0:
                return True
            time.sleep(0.1)
        return False

    def stop(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.log.close()


def highest_rate(server, options):
    best = 0
    for rate in options.ladder:
        found = server.load(rate, options.seconds / 2, options.objective)
        if not found or (found["latency"]["within_objective_ratio"] or 0) < LEAST_WITHIN:
            break
        best = rate
    return best


def ideal(options, rate):
    ended = subprocess.run([STASH, "serve", "predict", "--model", f"sleep:{options.sleep}s", "--max-batch", str(BATCH),
                            "--batching", "fixed", "--batch-timeout", "0s", "--on", "p3.2xlarge", "--rate", str(rate),
                            "--format", "json"], capture_output=True, text=True, check=True)
    return json.loads(ended.stdout)["machines"][0]["latency"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--servers", default="stash,stash-fixed,mosec,litserve,triton")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--sleep", type=float, default=0.01)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--objective", type=float, default=0.05)
    options = parser.parse_args()
    top = BATCH / options.sleep if options.sleep else 20000
    options.ladder = ([round(top * share) for share in (0.25, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)]
                      if options.sleep else [500, 1000, 2000, 4000, 8000, 12000, 16000, 20000, 30000, 40000])
    rate = round(top / 2) if options.sleep else 200
    floor = ideal(options, rate)
    print(f"{rate} per second; with a server that costs nothing p50 {floor['p50_s'] * 1e3:.2f} ms, "
          f"p99 {floor['p99_s'] * 1e3:.2f} ms; 1 minute load {os.getloadavg()[0]:.1f}")
    print("| server | p50 | p99 | added at p50 | added at p99 | client late | highest rate within the objective |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        known = servers(options, folder)
        for name in options.servers.split(","):
            server = Started(*known[name])
            try:
                if not server.wait():
                    print(f"| {name} | did not start |")
                    continue
                found = server.load(rate, options.seconds, options.objective)
                latency, best = found["latency"], highest_rate(server, options)
                print(f"| {name} | {latency['p50_s'] * 1e3:.2f} ms | {latency['p99_s'] * 1e3:.2f} ms "
                      f"| {(latency['p50_s'] - floor['p50_s']) * 1e3:.2f} ms "
                      f"| {(latency['p99_s'] - floor['p99_s']) * 1e3:.2f} ms "
                      f"| {found['client_late_s'] * 1e3:.2f} ms | {best} per second |", flush=True)
            finally:
                server.stop()


if __name__ == "__main__":
    main()
