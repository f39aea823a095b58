"""`stash serve --device cpu`: real models in processes of their own answer what torch does."""

import concurrent.futures
import json
import tempfile
import unittest

import program

program.require_program()

import torch  # noqa: E402

import worker_models  # noqa: E402
from serving import Server  # noqa: E402
from worker_clients import infer  # noqa: E402


def alexnet(weights, image):
    """AlexNet as torch's functions, with the weights that the server has."""
    F = torch.nn.functional
    x = image
    for layer, (stride, padding, pools) in {0: (4, 2, True), 3: (1, 2, True), 6: (1, 1, False), 8: (1, 1, False),
                                            10: (1, 1, True)}.items():
        x = F.relu(F.conv2d(x, weights[f"features.{layer}.weight"], weights[f"features.{layer}.bias"], stride, padding))
        x = F.max_pool2d(x, 3, 2) if pools else x
    x = F.adaptive_avg_pool2d(x, 6).flatten(1)
    for layer in (1, 4):
        x = F.relu(F.linear(x, weights[f"classifier.{layer}.weight"], weights[f"classifier.{layer}.bias"]))
    return F.linear(x, weights["classifier.6.weight"], weights["classifier.6.bias"])


class Answers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        name = cls.folder.name
        worker_models.write_modules(name)
        cls.network = worker_models.export_network(torch, name)
        cls.server = Server("--device", "cpu", "--max-batch", "8", "--model", "alexnet", "--weights-seed", "7",
                            "--model", f"{name}/net.pt2", "--model", f"{name}/fixed.pt2",
                            "--model", worker_models.module(name, "twice"),
                            "--model", "two=" + worker_models.module(name, "pair"))

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        cls.folder.cleanup()

    def test_a_built_in_network_answers_what_torch_does(self):
        import _stash
        weights = _stash.ServedModel.network("alexnet", "fp32", "cpu", 7).parameters()
        images = torch.rand(3, 3, 224, 224)
        given = infer(self.server, "alexnet", input=images)["output"]
        with torch.no_grad():
            torch.testing.assert_close(given, alexnet(weights, images), rtol=1e-4, atol=1e-5)
        self.assertGreater(given.std(), 0)

    def test_exported_programs_answer_what_torch_does_without_python(self):
        model = self.server.ask("GET", "/v2/models/net")[1]
        self.assertEqual([(one["name"], one["shape"]) for one in model["inputs"]],
                         [("image", [-1, 3, 16, 16]), ("scale", [-1, 1])])
        self.assertNotIn("Python", model["platform"])
        for name, rows in (("net", 1), ("net", 2), ("net", 7), ("fixed", 1), ("fixed", 4)):
            with self.subTest(name=name, rows=rows), torch.no_grad():
                image, scale = torch.randn(rows, 3, 16, 16), torch.randn(rows, 1)
                given = list(infer(self.server, name, image=image, scale=scale).values())
                wanted = self.network(image, scale)
                torch.testing.assert_close(given[0], wanted[0], rtol=1e-4, atol=1e-5)
                self.assertTrue(torch.equal(given[1], wanted[1]))

    def test_inputs_in_another_order_and_as_json_are_the_same(self):
        a, b = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[1, 2, 3], [4, 5, 6]])
        for tensors in ({"a": a, "b": b}, {"b": b, "a": a}):
            given = infer(self.server, "two", **tensors)
            self.assertEqual(given["sum"].tolist(), [[9.0], [22.0]])
            self.assertEqual(given["last"].tolist(), [[3], [6]])
        status, answer = self.server.ask("POST", "/v2/models/two/infer", json.dumps({
            "inputs": [{"name": "b", "datatype": "INT64", "shape": [1, 3], "data": [1, 2, 3]},
                       {"name": "a", "datatype": "FP32", "shape": [1, 2], "data": [0.5, 0.25]}],
            "outputs": [{"name": "last"}]}))
        self.assertEqual((status, answer["outputs"]), (200, [{"name": "last", "datatype": "INT64", "shape": [1, 1],
                                                              "data": [3]}]))

    def test_every_one_of_many_gets_its_own_answer(self):
        def ask(i):
            x = torch.full((1 + i % 3, 4), float(i))
            return torch.equal(infer(self.server, "twice", x=x)["output"], 2 * x)
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            self.assertTrue(all(pool.map(ask, range(300))))

    def test_what_does_not_fit_is_refused(self):
        for body, said in ((json.dumps({"inputs": []}), "'a', 'b'"),
                           (json.dumps({"inputs": [{"name": "b", "datatype": "INT64", "shape": [1, 3],
                                                    "data": [1, 2, 2.5]},
                                                   {"name": "a", "datatype": "FP32", "shape": [1, 2],
                                                    "data": [0, 0]}]}), "takes numbers of type INT64"),
                           (json.dumps({"inputs": [{"name": "b", "datatype": "INT64", "shape": [2, 3],
                                                    "data": [0] * 6},
                                                   {"name": "a", "datatype": "FP32", "shape": [1, 2],
                                                    "data": [0, 0]}]}), "same number of samples")):
            status, answer = self.server.ask("POST", "/v2/models/two/infer", body)
            self.assertEqual((status, said in answer["error"]), (400, True), answer)


if __name__ == "__main__":
    unittest.main()
