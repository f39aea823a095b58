"""Triton's own Python client asks `stash serve`, with binary tensors; and requests as KServe's client writes them."""

import json
import unittest

from serving import Server

try:
    import numpy
    import tritonclient.http as triton
except ImportError:
    triton = None

VALUES = [[float(row * 16 + i) for i in range(16)] for row in range(3)]


class Clients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--model", "sleep:1ms", "--model", "resnet18")

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def test_requests_of_kserve(self):
        # What InferRequest.to_rest() of kserve makes: null and empty fields, parameters, flat data.
        body = {"id": "4be4e82f", "parameters": {}, "outputs": [],
                "inputs": [{"name": "input", "shape": [3, 16], "datatype": "FP32", "parameters": {},
                            "data": sum(VALUES, [])}]}
        headers = {"Content-Type": "application/json", "Accept": "*/*", "User-Agent": "python-httpx/0.28"}
        status, answer = self.server.ask("POST", "/v2/models/sleep/infer", json.dumps(body), headers)
        self.assertEqual(status, 200, answer)
        self.assertEqual((answer["model_name"], answer["id"]), ("sleep", "4be4e82f"))
        self.assertEqual(answer["outputs"][0]["shape"], [3, 16])
        self.assertEqual(answer["outputs"][0]["data"], sum(VALUES, []))
        for path in ("/v2/health/live", "/v2/health/ready", "/v2/models/sleep/ready", "/v2/models/sleep"):
            self.assertEqual(self.server.ask("GET", path, headers=headers)[0], 200)

    @unittest.skipIf(triton is None, "tritonclient[http] is not installed (tests/requirements.txt has it)")
    def test_tritons_client(self):
        client = triton.InferenceServerClient(f"127.0.0.1:{self.server.port}")
        self.addCleanup(client.close)
        self.assertTrue(client.is_server_live() and client.is_server_ready() and client.is_model_ready("sleep"))
        self.assertEqual(client.get_server_metadata()["name"], "stash")
        self.assertEqual(client.get_model_metadata("sleep")["inputs"][0]["shape"], [-1, 16])
        self.assertIn("sleep", [one["name"] for one in client.get_model_repository_index()])
        values = numpy.array(VALUES, numpy.float32)
        for is_binary in (True, False):
            given = triton.InferInput("input", [3, 16], "FP32")
            given.set_data_from_numpy(values, binary_data=is_binary)
            wanted = triton.InferRequestedOutput("output", binary_data=is_binary)
            answer = client.infer("sleep", [given], outputs=[wanted], request_id="7")
            numpy.testing.assert_array_equal(answer.as_numpy("output"), values)
            self.assertEqual(answer.get_response()["id"], "7")
        waiting = [client.async_infer("sleep", [given]) for _ in range(8)]
        for one in waiting:
            numpy.testing.assert_array_equal(one.get_result().as_numpy("output"), values)

    @unittest.skipIf(triton is None, "tritonclient[http] is not installed (tests/requirements.txt has it)")
    def test_tritons_client_hears_what_is_wrong(self):
        client = triton.InferenceServerClient(f"127.0.0.1:{self.server.port}")
        self.addCleanup(client.close)
        given = triton.InferInput("input", [1, 15], "FP32")
        given.set_data_from_numpy(numpy.zeros((1, 15), numpy.float32))
        with self.assertRaisesRegex(triton.InferenceServerException, "shape"):
            client.infer("sleep", [given])
        with self.assertRaisesRegex(triton.InferenceServerException, "resnet18"):
            client.infer("resnet19", [given])
        client.unload_model("sleep")
        self.assertFalse(client.is_model_ready("sleep"))
        client.load_model("sleep")
        self.assertTrue(client.is_model_ready("sleep"))


if __name__ == "__main__":
    unittest.main()
