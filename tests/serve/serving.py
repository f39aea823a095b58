"""A server of `stash serve` for a test, and a small client for it."""

import http.client
import json
import os
import signal
import struct
import subprocess

PROGRAM = os.environ["STASH_PROGRAM_FILE"]
LIMIT_S = 60


class Server:
    def __init__(self, *words):
        self.process = subprocess.Popen([PROGRAM, "serve", "--port", "0", *words], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip().removeprefix("http://")
        if not self.address:
            raise AssertionError(f"the server did not start: {self.process.communicate(timeout=LIMIT_S)[1]}")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=LIMIT_S)

    @property
    def port(self):
        return int(self.address.rsplit(":", 1)[1])

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_S)

    def ask(self, method, path, body=None, headers=None, connection=None):
        """The status and the answer, as JSON where it is that."""
        client = connection or self.connect()
        client.request(method, path, body, headers or {})
        answer = client.getresponse()
        text = answer.read()
        if not connection:
            client.close()
        return answer.status, json.loads(text) if answer.headers["Content-Type"] == "application/json" else text

    def load(self, model, *words):
        ended = subprocess.run([PROGRAM, "load", "--format", "json", *words, f"127.0.0.1:{self.port}/{model}"],
                               capture_output=True, text=True, timeout=LIMIT_S)
        return json.loads(ended.stdout)


def numbers(values, rows=1, **more):
    """A request for sleep:TIME, as JSON."""
    return json.dumps({"inputs": [{"name": "input", "datatype": "FP32", "shape": [rows, 16], "data": values}], **more})


def tensors(values, rows=1, **more):
    """The same with the tensor as bytes behind the JSON: body and headers."""
    data = struct.pack(f"<{len(values)}f", *values)
    head = json.dumps({"inputs": [{"name": "input", "datatype": "FP32", "shape": [rows, 16],
                                   "parameters": {"binary_data_size": len(data)}}],
                       "parameters": {"binary_data_output": True}, **more}).encode()
    return head + data, {"Inference-Header-Content-Length": str(len(head))}
