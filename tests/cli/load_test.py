"""`stash load` against a server of the Open Inference Protocol that checks what it gets."""

import http.server
import json
import os
import subprocess
import threading
import unittest

PROGRAM = os.environ["STASH_PROGRAM_FILE"]


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    faults = []
    requests = 0

    def answer(self, body, status=200):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path != "/v2/models/sums":
            return self.answer(b'{"error": "no such model"}', 404)
        self.answer(json.dumps({"name": "sums", "inputs": [
            {"name": "x", "datatype": "FP32", "shape": [-1, 3]}]}).encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        size = int(self.headers.get("Inference-Header-Content-Length", len(body)))
        message = json.loads(body[:size])
        given = message["inputs"][0]
        if self.path != "/v2/models/sums/infer" or given["shape"] != [1, 3]:
            Model.faults.append(message)
        if "data" in given and len(given["data"]) != 3 or "data" not in given and len(body) - size != 12:
            Model.faults.append(message)
        Model.requests += 1
        self.answer(b"{}")

    def log_message(self, *words):
        pass


class Load(unittest.TestCase):
    def setUp(self):
        Model.faults, Model.requests = [], 0
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        self.place = f"127.0.0.1:{self.server.server_port}"

    def tearDown(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def load(self, *words):
        return subprocess.run([PROGRAM, "load", *words], capture_output=True, text=True, timeout=60)

    def test_a_model_gets_its_inputs_in_both_forms(self):
        for form in ([], ["--json-tensors"]):
            ended = self.load("--rate", "100", "--for", "0.5s", "--spacing", "constant", "--format", "json", "--objective",
                              "10s", "--connections", "4", *form, f"{self.place}/sums")
            report = json.loads(ended.stdout)
            self.assertEqual(report["answered"], 50, ended.stdout + ended.stderr)
            self.assertEqual(report["latency"]["within_objective_ratio"], 1)
            self.assertGreater(report["latency"]["p99_s"], 0)
        self.assertEqual((Model.faults, Model.requests), ([], 100))

    def test_an_unknown_model_is_said(self):
        ended = self.load("--rate", "10", f"{self.place}/products")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("status 404", ended.stderr)
        self.assertIn("no such model", ended.stderr)

    def test_what_does_not_fit_together_is_refused(self):
        place = f"{self.place}/sums"
        for words, said in (([place], "--rate 100, or --trace FILE"),
                            (["--rate", "0", place], "above 0"),
                            (["--rate", "5", "--post", "x", place], "--post is for http:// addresses"),
                            (["--rate", "5", "--trace", "x.csv", place], "leave out --rate"),
                            (["--rate", "5", "--connections", "0", place], "--connections takes 1"),
                            (["--rate", "5", "--spacing", "even", place], "--spacing"),
                            (["--rate", "5", "--content-type", "a\r\nB: c", "--post", "x", "http://x"], "--content-type"),
                            (["--rate", "5", "somewhere"], "like localhost:8000/resnet50")):
            with self.subTest(words=words):
                ended = self.load(*words)
                self.assertEqual(ended.returncode, 2, ended.stderr)
                self.assertIn(said, ended.stderr)
        self.assertEqual(Model.requests, 0)


if __name__ == "__main__":
    unittest.main()
