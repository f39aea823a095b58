"""Everything about `stash serve` that needs a GPU, in one run of under eight minutes on an H200.

    bench/serve_gpu.py [--device cuda] [--out FILE] [--only NAMES]

Prints one line per figure and writes them as JSON: outputs of every way against each other, T(b) with graphs, all
primitives against the plain ones at equal load, each alone, three models at once by how they share the GPU, throughput
within the objective, reload. The interpreter that runs this is the one whose torch serves. What fails is said and does
not end the run.
"""

import argparse
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).parents[1]
PROGRAM = os.environ.get("STASH_PROGRAM_FILE", str(ROOT / "stash"))
PYTHON = ["--python", sys.executable]
NETWORKS = {"resnet50": "20ms", "bert_base": "50ms", "shufflenet_v2_x0_5": "10ms"}
RATES = {"resnet50": (500, 1000, 2000, 3000, 4000), "shufflenet_v2_x0_5": (500, 1000, 2000, 3000, 4000)}
SHARED_RATES = {"resnet50": 800, "bert_base": 150, "shufflenet_v2_x0_5": 800}
PLAIN = ["--input", "pageable", "--completion", "blocking", "--batching", "fixed", "--launch", "eager"]
PRACTICE = ["--input", "gather", "--completion", "blocking", "--batching", "fixed"]
WAYS = ([], ["--input", "gather"], ["--input", "pageable"], ["--completion", "spinning"], ["--launch", "eager"], PLAIN)
BUDGET_S = 460
LOAD_S = 2.5


def ask(port, method, path, body=None):
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    client.request(method, path, body)
    answer = client.getresponse()
    content = answer.read()
    client.close()
    return answer.status, content


@contextlib.contextmanager
def server(*words):
    process = subprocess.Popen([PROGRAM, "serve", "--port", "0", *PYTHON, *words], stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"the server did not start: {' '.join(words)}")
        yield int(line.rsplit(":", 1)[1])
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def load(port, model, rate, seconds, objective):
    ended = subprocess.run([PROGRAM, "load", "--format", "json", "--rate", str(rate), "--for", f"{seconds}s",
                            "--objective", objective, "--connections", "128", f"127.0.0.1:{port}/{model}"],
                           capture_output=True, text=True)
    return json.loads(ended.stdout)


class Run:
    def __init__(self, device, only, bench_for):
        self.device, self.only, self.bench_for = device, only, bench_for
        self.found, self.started = {}, time.monotonic()

    def measure(self, name, work):
        left = BUDGET_S - (time.monotonic() - self.started)
        if (self.only and name not in self.only) or left < 20:
            return
        try:
            self.found[name] = work()
        except Exception as error:
            self.found[name] = {"failed": f"{type(error).__name__}: {error}"}
        print(f"{name}: {json.dumps(self.found[name])}", flush=True)

    def outputs(self):
        """Which ways give other bytes than the default one, for one request at a time; all servers run at once."""
        body = json.dumps({"inputs": [{"name": "input", "datatype": "FP32", "shape": [1, 3, 224, 224],
                                       "data": [i % 7 / 7 for i in range(3 * 224 * 224)]}]})
        with contextlib.ExitStack() as stack:
            with concurrent.futures.ThreadPoolExecutor(len(WAYS)) as pool:
                ports = list(pool.map(lambda words: stack.enter_context(server(
                    "--device", self.device, "--max-batch", "1", "--model", "resnet50", *words)), WAYS))
            answers = [ask(port, "POST", "/v2/models/resnet50/infer", body)[1] for port in ports]
        return {" ".join(words) or "default": answer == answers[0] for words, answer in zip(WAYS, answers)}

    def bench(self, network):
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            ended = subprocess.run([PROGRAM, "serve", "bench", "--device", self.device, "--model", network, *PYTHON,
                                    "--objective", NETWORKS[network], "--for", self.bench_for, "--out", file.name],
                                   check=False, capture_output=True, text=True)
            text = pathlib.Path(file.name).read_text()
        if not text:
            raise RuntimeError(ended.stderr[-500:])
        found = json.loads(text)
        return {key: found.get(key) for key in ("latency", "parts", "primitives", "batches", "rate_per_s", "rejected")}

    def against_plain(self, network):
        """How much load is within the objective, with the better ways, the plain ones, and those of good practice."""
        found = {}
        for name, words in (("better", []), ("plain", PLAIN), ("practice", PRACTICE)):
            with server("--device", self.device, "--model", network, "--objective", NETWORKS[network], *words) as port:
                found[name] = [{"rate": rate, **load(port, network, rate, LOAD_S, NETWORKS[network])["latency"]}
                               for rate in RATES[network]]
        return found

    def reload(self):
        ended = subprocess.run([sys.executable, str(ROOT / "bench/serve_reload.py"), "--device", self.device, "--reloads",
                                "3"], capture_output=True, text=True, timeout=120)
        return ended.stdout.splitlines()

    def sharing(self):
        """Requests within the objectives of three models at once, by how they share the GPU."""
        words = [word for network in NETWORKS for word in ("--model", network)]
        found = {}
        for way in ("turns", "streams", "equal", "need"):
            with server("--device", self.device, "--objective", "20ms", "--share", way, *words) as port:
                running = {network: subprocess.Popen(
                    [PROGRAM, "load", "--format", "json", "--rate", str(SHARED_RATES[network]), "--for", "6s", "--objective",
                     "20ms", "--connections", "64", f"127.0.0.1:{port}/{network}"], stdout=subprocess.PIPE, text=True)
                    for network in NETWORKS}
                found[way] = {network: json.loads(one.communicate()[0])["latency"] for network, one in running.items()}
                found[way]["shares"] = [line for line in ask(port, "GET", "/metrics")[1].decode().splitlines()
                                        if line.startswith("stash_share_ratio")]
        return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--out", default="serve_gpu.json")
    parser.add_argument("--only", type=lambda names: names.split(","), help="comma list of figures")
    parser.add_argument("--bench-for", default="20s")
    options = parser.parse_args()
    run = Run(options.device, options.only, options.bench_for)
    run.measure("outputs", run.outputs)
    for network in NETWORKS:
        run.measure(f"bench {network}", lambda name=network: run.bench(name))
    run.measure("sharing", run.sharing)
    for network in RATES:
        run.measure(f"against plain {network}", lambda name=network: run.against_plain(name))
    run.measure("reload", run.reload)
    pathlib.Path(options.out).write_text(json.dumps(run.found, indent=1))


if __name__ == "__main__":
    main()
