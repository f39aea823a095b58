"""Everything about `stash serve` that needs a GPU, in one run of under eight minutes on an H200.

    bench/serve_gpu.py [--device cuda] [--out FILE] [--only NAME]

Prints one line per figure and writes them as JSON: outputs against torch, T(b) with graphs, all primitives against the
plain ones at equal load, each alone, throughput within the objective, reload, three models at once. What fails is said
and does not end the run. Not run yet on a GPU: no figure of it is in the docs.
"""

import argparse
import contextlib
import http.client
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).parents[1]
PROGRAM = os.environ.get("STASH_PROGRAM_FILE", str(ROOT / "stash"))
NETWORKS = {"resnet50": "20ms", "bert_base": "50ms", "shufflenet_v2_x0_5": "10ms"}
PLAIN = ["--input", "gather", "--completion", "blocking", "--batching", "fixed", "--launch", "eager"]
BUDGET_S = 460


def ask(port, method, path, body=None):
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    client.request(method, path, body)
    answer = client.getresponse()
    content = answer.read()
    client.close()
    return answer.status, content


@contextlib.contextmanager
def server(*words):
    process = subprocess.Popen([PROGRAM, "serve", "--port", "0", *words], stdout=subprocess.PIPE, text=True)
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
    def __init__(self, device, only):
        self.device, self.only, self.found, self.started = device, only, {}, time.monotonic()

    def measure(self, name, work):
        left = BUDGET_S - (time.monotonic() - self.started)
        if (self.only and self.only != name) or left < 20:
            return
        try:
            self.found[name] = work()
        except Exception as error:
            self.found[name] = {"failed": f"{type(error).__name__}: {error}"}
        print(f"{name}: {json.dumps(self.found[name])}", flush=True)

    def outputs(self):
        """The same bytes whichever way a request goes."""
        body = json.dumps({"inputs": [{"name": "input", "datatype": "FP32", "shape": [1, 3, 224, 224],
                                       "data": [i % 7 / 7 for i in range(3 * 224 * 224)]}]})
        answers = {}
        for words in ([], ["--input", "gather"], ["--completion", "spinning"], ["--launch", "eager"]):
            with server("--device", self.device, "--max-batch", "1", "--model", "resnet50", *words) as port:
                answers[" ".join(words) or "default"] = ask(port, "POST", "/v2/models/resnet50/infer", body)[1]
        first = answers["default"]
        return {name: answer == first for name, answer in answers.items()}

    def bench(self, network):
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            subprocess.run([PROGRAM, "serve", "bench", "--device", self.device, "--model", network, "--objective",
                            NETWORKS[network], "--for", "25s", "--out", file.name], check=False,
                           stdout=subprocess.DEVNULL)
            bench = json.load(open(file.name))
        return {key: bench[key] for key in ("latency", "parts", "primitives", "batches", "rate_per_s", "rejected")}

    def against_plain(self, network):
        """At equal load, and how much load is within the objective."""
        rates, found = None, {}
        for name, words in (("better", []), ("plain", PLAIN)):
            with server("--device", self.device, "--model", network, "--objective", NETWORKS[network],
                        *words) as port:
                if rates is None:
                    most = max(load(port, network, rate, 2, NETWORKS[network])["latency"]["throughput_per_s"]
                               for rate in (500, 2000, 8000))
                    rates = [0.25 * most, 0.5 * most, most, 1.5 * most]
                found[name] = [load(port, network, rate, 3, NETWORKS[network])["latency"] for rate in rates]
        return {"rates": rates, **found}

    def reload(self):
        ended = subprocess.run(["python3", str(ROOT / "bench/serve_reload.py"), "--device", self.device, "--reloads",
                                "5"], capture_output=True, text=True, timeout=120)
        return ended.stdout.splitlines()

    def three_models(self):
        words = [word for network in NETWORKS for word in ("--model", network)]
        with server("--device", self.device, "--objective", "50ms", *words) as port:
            running = [subprocess.Popen([PROGRAM, "load", "--format", "json", "--rate", "400", "--for", "10s",
                                         "--objective", "50ms", f"127.0.0.1:{port}/{network}"],
                                        stdout=subprocess.PIPE, text=True) for network in NETWORKS]
            return {network: json.loads(one.communicate()[0])["latency"] for network, one in zip(NETWORKS, running)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--out", default="serve_gpu.json")
    parser.add_argument("--only")
    options = parser.parse_args()
    run = Run(options.device, options.only)
    run.measure("outputs", run.outputs)
    for network in NETWORKS:
        run.measure(f"bench {network}", lambda name=network: run.bench(name))
    for network in NETWORKS:
        run.measure(f"against plain {network}", lambda name=network: run.against_plain(name))
    run.measure("reload", run.reload)
    run.measure("three models", run.three_models)
    pathlib.Path(options.out).write_text(json.dumps(run.found, indent=1))


if __name__ == "__main__":
    main()
