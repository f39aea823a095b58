"""`stash serve`, asked by real HTTP clients: the protocol, faults, limits, several models, the end."""

import concurrent.futures
import json
import signal
import socket
import struct
import subprocess
import time
import unittest

import serving
from serving import Server, numbers, tensors

INFER = "/v2/models/sleep/infer"
SIXTEEN = [float(i) for i in range(16)]


class Protocol(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--model", "resnet50", "--model", "sleep:1ms", "--max-request", "1MB", "--timeout", "3s")

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def test_a_model_says_what_it_takes(self):
        status, model = self.server.ask("GET", "/v2/models/resnet50")
        self.assertEqual(status, 200)
        self.assertEqual(model["inputs"], [{"name": "input", "datatype": "FP32", "shape": [-1, 3, 224, 224]}])
        self.assertEqual(model["outputs"], [{"name": "output", "datatype": "FP32", "shape": [-1, 1000]}])
        self.assertIn("emulated V100", model["platform"])
        self.assertEqual(self.server.ask("GET", "/v2/models/resnet50/versions/1")[1], model)

    def test_health_and_index(self):
        for path in ("/v2", "/v2/health/live", "/v2/health/ready", "/v2/models/sleep/ready"):
            self.assertEqual(self.server.ask("GET", path)[0], 200, path)
        status, index = self.server.ask("POST", "/v2/repository/index")
        self.assertEqual([(one["name"], one["state"]) for one in index], [("resnet50", "READY"), ("sleep", "READY")])

    def test_every_request_gets_its_own_rows_back(self):
        def infer(i):
            values = [float(i * 100 + j) for j in range(32)]
            if i % 2:
                status, answer = self.server.ask("POST", INFER, numbers(values, 2, id=str(i)))
                return status, answer["id"], answer["outputs"][0]["data"], values
            body, headers = tensors(values, 2)
            status, answer = self.server.ask("POST", INFER, body, headers)
            return status, str(i), list(struct.unpack("<32f", answer[-128:])), values
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            for i, (status, name, data, values) in enumerate(pool.map(infer, range(200))):
                self.assertEqual((status, name, data), (200, str(i), values))

    def test_the_answer_is_bytes_where_that_is_asked_for(self):
        client = self.server.connect()
        body, headers = tensors(SIXTEEN, id="x")
        client.request("POST", INFER, body, headers)
        answer = client.getresponse()
        data = answer.read()
        size = int(answer.headers["Inference-Header-Content-Length"])
        head = json.loads(data[:size])
        self.assertEqual((head["model_name"], head["id"]), ("sleep", "x"))
        self.assertEqual(head["outputs"], [{"name": "output", "datatype": "FP32", "shape": [1, 16],
                                            "parameters": {"binary_data_size": 64}}])
        self.assertEqual(list(struct.unpack("<16f", data[size:])), SIXTEEN)
        client.close()

    def test_a_head_has_no_body(self):
        client = self.server.connect()
        for _ in range(2):
            client.request("HEAD", "/v2/health/ready")
            answer = client.getresponse()
            self.assertEqual((answer.status, answer.read()), (200, b""))
            self.assertGreater(int(answer.headers["Content-Length"]), 0)
        client.close()

    def test_a_connection_takes_many_requests(self):
        client = self.server.connect()
        for i in range(50):
            status, answer = self.server.ask("POST", INFER, numbers([float(i)] * 16), connection=client)
            self.assertEqual((status, answer["outputs"][0]["data"][0]), (200, i))
        client.close()

    def test_chunks_and_a_client_that_waits_to_be_told_to_go_on(self):
        body = numbers(SIXTEEN).encode()
        client = self.server.connect()
        client.request("POST", INFER, iter([body[:10], body[10:]]), encode_chunked=True,
                       headers={"Transfer-Encoding": "chunked"})
        self.assertEqual(client.getresponse().status, 200)
        client.close()
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=serving.LIMIT_S) as raw:
            raw.sendall(f"POST {INFER} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: {len(body)}\r\n\r\n"
                        .encode())
            self.assertTrue(raw.recv(1000).startswith(b"HTTP/1.1 100"))
            raw.sendall(body)
            self.assertTrue(raw.recv(1000).startswith(b"HTTP/1.1 200"))

    def test_requests_sent_one_behind_the_other_are_answered_in_order(self):
        both = b""
        for i in range(20):
            body = numbers([float(i)] * 16).encode()
            both += f"POST {INFER} HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=serving.LIMIT_S) as raw:
            raw.sendall(both)
            raw.shutdown(socket.SHUT_WR)
            got = b""
            while part := raw.recv(65536):
                got += part
        answers = [json.loads(one[one.index(b"\r\n\r\n"):]) for one in got.split(b"HTTP/1.1 200 OK")[1:]]
        self.assertEqual([one["outputs"][0]["data"][0] for one in answers], list(range(20)))

    def test_what_is_wrong_is_said(self):
        wrong = numbers(SIXTEEN).replace("FP32", "INT8")
        for method, path, body, status, said in (
                ("GET", "/nope", None, 404, "/v2/models/NAME/infer"),
                ("GET", "/", None, 404, "/v2"),
                ("GET", "/v2/models/resnet", None, 404, "this server has resnet50, sleep"),
                ("GET", "/v2/models/sleep/versions/2", None, 404, "version 1 only"),
                ("GET", INFER, None, 405, "POST"),
                ("DELETE", "/v2/models/sleep", None, 405, "GET and POST"),
                ("POST", INFER, "{", 400, "no valid JSON"),
                ("POST", INFER, "[" * 10000, 400, "deeper"),
                ("POST", INFER, wrong, 400, "takes FP32"),
                ("POST", INFER, numbers(SIXTEEN, 2), 400, "takes 32 numbers, not 16"),
                ("POST", INFER, numbers(SIXTEEN * 33, 33), 400, "1 to 32 samples"),
                ("POST", "/v2/repository/models/other/load", None, 404, "no model 'other'")):
            with self.subTest(path=path, body=(body or "")[:20]):
                got, answer = self.server.ask(method, path, body)
                self.assertEqual(got, status, answer)
                self.assertIn(said, answer["error"])

    def test_what_is_too_large_or_from_a_web_page_is_refused(self):
        status, answer = self.server.ask("POST", INFER, b"x" * 1_000_001)
        self.assertEqual((status, "1.0 MB" in answer["error"] or "1 MB" in answer["error"]), (413, True), answer)
        status, answer = self.server.ask("POST", "/v2/repository/models/sleep/unload",
                                         headers={"Origin": "http://evil.example"})
        self.assertEqual(status, 403)
        self.assertEqual(self.server.ask("GET", "/v2/models/sleep/ready")[0], 200)
        status, answer = self.server.ask("POST", INFER, b"x", headers={"Content-Encoding": "gzip"})
        self.assertEqual(status, 415)

    def test_a_request_that_does_not_come_is_given_up(self):
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=serving.LIMIT_S) as raw:
            raw.sendall(f"POST {INFER} HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc".encode())
            self.assertTrue(raw.recv(1000).startswith(b"HTTP/1.1 408"))
            self.assertEqual(raw.recv(1000), b"")

    def test_noise_harms_nobody(self):
        for noise in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20, b"\0" * 5000, b"GET\r\n\r\n" * 100):
            with socket.create_connection(("127.0.0.1", self.server.port), timeout=serving.LIMIT_S) as raw:
                raw.sendall(noise)
                self.assertTrue(raw.recv(1000).startswith(b"HTTP/1.1 400"), noise[:10])
        self.assertEqual(self.server.ask("POST", INFER, numbers(SIXTEEN))[0], 200)

    def test_metrics_count_what_happened(self):
        before = self.metrics()
        self.server.ask("POST", INFER, numbers(SIXTEEN))
        after = self.metrics()
        for name in ('stash_requests_answered_total{model="sleep"}', 'stash_request_seconds_count{model="sleep"}',
                     'stash_batches_total{model="sleep"}', 'stash_request_seconds_bucket{model="sleep",le="+Inf"}'):
            self.assertEqual(after[name], before.get(name, 0) + 1, name)
        parts = sum(value for name, value in after.items() if "part_seconds_total" in name and "sleep" in name)
        self.assertAlmostEqual(parts, after['stash_request_seconds_sum{model="sleep"}'], places=6)

    def metrics(self):
        status, text = self.server.ask("GET", "/metrics")
        rows = [line for line in text.decode().splitlines() if not line.startswith("#")]
        return {row.rsplit(" ", 1)[0]: float(row.rsplit(" ", 1)[1]) for row in rows}


class Batching(unittest.TestCase):
    def test_under_more_load_than_it_can_do_it_refuses_and_says_why(self):
        with Server("--model", "sleep:10ms", "--max-batch", "4", "--objective", "60ms") as server:
            def infer(_):
                return server.ask("POST", INFER, numbers(SIXTEEN))
            with concurrent.futures.ThreadPoolExecutor(64) as pool:
                answers = list(pool.map(infer, range(400)))
            refused = [answer for status, answer in answers if status == 503]
            self.assertEqual({status for status, _ in answers}, {200, 503})
            self.assertIn("objective is 60.0 ms", refused[0]["error"])

    def test_batches_form_under_load(self):
        with Server("--model", "sleep:20ms", "--max-batch", "8") as server:
            report = server.load("sleep", "--rate", "200", "--for", "1s", "--spacing", "constant")
            self.assertEqual(report["answered"], 200)
            metrics = server.ask("GET", "/metrics")[1].decode()
        batches = int(metrics.split('stash_batches_total{model="sleep"} ')[1].split()[0])
        self.assertLess(batches, 80)  # one after the other, they would take 200 batches and 4 s

    def test_all_ways_give_the_same_answers(self):
        for words in (["--input", "gather"], ["--completion", "blocking"], ["--completion", "polling"],
                      ["--completion", "spinning"], ["--batching", "fixed"], ["--reload", "stop"]):
            with self.subTest(words=words), Server("--model", "sleep:1ms", *words) as server:
                def infer(i, server=server):
                    return server.ask("POST", INFER, numbers([float(i)] * 16))[1]["outputs"][0]["data"]
                with concurrent.futures.ThreadPoolExecutor(8) as pool:
                    self.assertEqual(list(pool.map(infer, range(40))), [[float(i)] * 16 for i in range(40)])


class Ledger(unittest.TestCase):
    def test_a_slow_client_is_found_in_receive(self):
        body, headers = tensors(SIXTEEN)
        head = "".join(f"{name}: {value}\r\n" for name, value in {**headers, "Content-Length": len(body)}.items())
        request = f"POST {INFER} HTTP/1.1\r\nHost: x\r\n{head}\r\n".encode() + body
        with Server("--model", "sleep:1ms") as server, socket.create_connection(("127.0.0.1", server.port)) as client:
            client.sendall(request[:-32])
            begun = time.monotonic()
            time.sleep(0.3)
            waited = time.monotonic() - begun
            client.sendall(request[-32:])
            self.assertTrue(client.recv(65536).startswith(b"HTTP/1.1 200"))
            text = server.ask("GET", "/metrics")[1].decode()
        parts = {line.split('part="')[1].split('"')[0]: float(line.rsplit(" ", 1)[1])
                 for line in text.splitlines() if line.startswith("stash_request_part_seconds_total{")}
        latency = next(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
                       if line.startswith("stash_request_seconds_sum{"))
        # The first bytes may take a while to be read, so a little of the wait is not seen.
        self.assertGreater(parts["receive"], waited / 2)
        self.assertAlmostEqual(sum(parts.values()), latency, places=6)


class Sharing(unittest.TestCase):
    def shares(self, server):
        text = server.ask("GET", "/metrics")[1].decode()
        return {line.split('"')[1]: float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
                if line.startswith("stash_share_ratio{")}

    def test_a_model_under_load_gets_more_of_the_device_and_shares_add_up(self):
        with Server("--model", "a=resnet50", "--model", "b=resnet18", "--objective", "100ms", "--share") as server:
            self.assertEqual(self.shares(server), {"a": 0.5, "b": 0.5})
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                load = pool.submit(server.load, "a", "--rate", "700", "--for", "4s", "--connections", "256")
                seen = []
                while not load.done():
                    seen.append(self.shares(server))
                    time.sleep(0.1)
            self.assertEqual(load.result()["failed"], 0)
        self.assertGreater(max(one["a"] for one in seen), 0.5)
        for one in seen:
            self.assertAlmostEqual(one["a"] + one["b"], 1)

    def test_equal_parts_stay_equal(self):
        with Server("--model", "a=sleep:1ms", "--model", "b=sleep:1ms", "--share", "equal") as server:
            for name in "ab":
                self.assertEqual(server.ask("POST", f"/v2/models/{name}/infer", numbers(SIXTEEN))[0], 200)
            self.assertEqual(self.shares(server), {"a": 0.5, "b": 0.5})


class Models(unittest.TestCase):
    def test_a_model_is_unloaded_and_loaded_again(self):
        with Server("--model", "a=sleep:1ms", "--model", "b=sleep:1ms") as server:
            self.assertEqual(server.ask("POST", "/v2/repository/models/a/unload")[0], 200)
            status, answer = server.ask("POST", "/v2/models/a/infer", numbers(SIXTEEN))
            self.assertEqual((status, "/v2/repository/models/a/load" in answer["error"]), (503, True))
            self.assertEqual(server.ask("GET", "/v2/models/a/ready")[0], 503)
            self.assertEqual(server.ask("POST", "/v2/models/b/infer", numbers(SIXTEEN))[0], 200)
            self.assertEqual(server.ask("POST", "/v2/repository/models/a/load")[0], 200)
            self.assertEqual(server.ask("POST", "/v2/models/a/infer", numbers(SIXTEEN))[0], 200)

    def test_reloads_under_load_lose_nothing(self):
        for way in ("swap", "stop"):
            with self.subTest(way=way), Server("--model", "resnet18", "--reload", way) as server:
                with concurrent.futures.ThreadPoolExecutor(1) as pool:
                    run = pool.submit(server.load, "resnet18", "--rate", "50", "--for", "2s")
                    for _ in range(20):
                        self.assertEqual(server.ask("POST", "/v2/repository/models/resnet18/load")[0], 200)
                    report = run.result()
                self.assertEqual((report["failed"], report["refused"]), (0, 0))
                self.assertIn(b'stash_loads_total{model="resnet18"} 21', server.ask("GET", "/metrics")[1])


class Predict(unittest.TestCase):
    def run_it(self, *words):
        return subprocess.run([serving.PROGRAM, "serve", "predict", *words], capture_output=True, text=True, timeout=60)

    def test_machines_of_the_catalogue_side_by_side(self):
        ended = self.run_it("--model", "resnet50", "--on", "g4dn.xlarge,p3.2xlarge", "--rate", "300", "--objective",
                            "100ms", "--format", "json")
        found = json.loads(ended.stdout)
        t4, v100 = found["machines"]
        self.assertEqual((t4["gpu"], v100["gpu"]), ("T4", "V100"))
        self.assertGreater(t4["latency"]["p99_s"], v100["latency"]["p99_s"])
        for machine in (t4, v100):
            parts = machine["latency"]["parts"]
            self.assertAlmostEqual(sum(part["s"] for part in parts.values() if part), machine["latency"]["mean_s"])
            self.assertIsNone(parts["gather"])
            self.assertLessEqual(machine["latency"]["p99_s"], 0.1)
            self.assertGreater(machine["usd_per_million"], 0)

    def test_what_cannot_be_predicted_says_why(self):
        ended = self.run_it("--model", "resnet50", "--on", "g4dn.xlarge", "--rate", "30", "--objective", "1ms")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("cannot be met", ended.stdout)
        for words, said in ((["--model", "resnet50", "--rate", "5"], "--on g4dn.xlarge"),
                            (["--model", "resnet50", "--on", "g4dn.xlarge"], "--rate takes"),
                            (["--model", "resnet50", "--on", "g4dn.xlarg", "--rate", "5"], "g4dn.xlarge"),
                            (["--model", "resnet50", "--on", "g4dn.xlarge", "--rate", "1e9"], "more than")):
            with self.subTest(words=words):
                ended = self.run_it(*words)
                self.assertEqual(ended.returncode, 2, ended.stderr)
                self.assertIn(said, ended.stderr)


class Process(unittest.TestCase):
    def test_what_was_accepted_is_answered_before_the_end(self):
        with Server("--model", "sleep:500ms") as server:
            client = server.connect()
            client.request("POST", INFER, numbers(SIXTEEN))
            while b'stash_batches_total{model="sleep"} 1' not in server.ask("GET", "/metrics")[1]:
                time.sleep(0.01)
            server.process.send_signal(signal.SIGINT)
            self.assertEqual(client.getresponse().status, 200)
            client.close()
            self.assertEqual(server.process.wait(timeout=serving.LIMIT_S), 0)

    def test_connections_are_limited_and_idle_ones_make_room(self):
        with Server("--model", "sleep:1s", "--connections", "3") as server:
            idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(6)]
            busy = [server.connect() for _ in range(3)]
            for client in busy:
                client.request("POST", INFER, numbers(SIXTEEN))
            time.sleep(0.2)
            status, answer = server.ask("GET", "/v2")
            self.assertEqual((status, "--connections" in answer["error"]), (503, True))
            for client in busy:
                self.assertEqual(client.getresponse().status, 200)
                client.close()
            for one in idle:
                one.close()

    def test_a_client_that_leaves_harms_nobody(self):
        with Server("--model", "sleep:100ms") as server:
            for _ in range(5):
                client = server.connect()
                client.request("POST", INFER, numbers(SIXTEEN))
                client.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                client.close()
            self.assertEqual(server.ask("POST", INFER, numbers(SIXTEEN))[0], 200)

    def test_flags_that_cannot_be_are_refused(self):
        for words, said in (([], "--model resnet50"),
                            (["--model", "resnet5O"], "resnet50"),
                            (["--model", "resnet50", "--objective", "1ms"], "cannot be met"),
                            (["--model", "resnet50", "--model", "resnet50"], "two models are called resnet50"),
                            (["--model", "resnet50", "--device", "tpu"], "emulated:GPU"),
                            (["--model", "a.pt2"], "--device cpu"),
                            (["--model", "sleep:1ms", "--device", "cpu"], "emulated"),
                            (["--model", "resnet50", "--share", "half"], "need"),
                            (["--model", "resnet50", "--device", "emulated:V1000"], "V100"),
                            (["--model", "resnet50", "--batching", "fix"], "fixed"),
                            (["--model", "resnet50", "--max-batch", "0"], "--max-batch takes 1"),
                            (["--model", "resnet50", "--port", "70000"], "--port takes"),
                            (["--model", "resnet50", "--host", "nowhere"], "--host takes")):
            with self.subTest(words=words):
                ended = subprocess.run([serving.PROGRAM, "serve", *words], capture_output=True, text=True, timeout=30)
                self.assertEqual(ended.returncode, 2, ended.stderr)
                self.assertIn(said, ended.stderr)

    def test_a_port_in_use_is_said(self):
        with Server("--model", "sleep:1ms") as server:
            ended = subprocess.run([serving.PROGRAM, "serve", "--model", "sleep:1ms", "--port", str(server.port)],
                                   capture_output=True, text=True, timeout=30)
            self.assertEqual(ended.returncode, 1)
            self.assertIn("choose another one with --port", ended.stderr)


if __name__ == "__main__":
    unittest.main()
