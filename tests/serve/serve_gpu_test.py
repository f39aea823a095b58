"""`stash serve --device cuda`: answers are those of torch, whichever way a request goes."""

import concurrent.futures
import sys
import tempfile
import unittest

import program

program.require_program()

import torch  # noqa: E402

import worker_models  # noqa: E402
from serving import Server  # noqa: E402
from worker_clients import infer  # noqa: E402

if not torch.cuda.is_available():
    print("needs a GPU that torch can use")
    sys.exit(program.SKIPPED)


class Answers(unittest.TestCase):
    def test_every_way_gives_what_torch_gives(self):
        with tempfile.TemporaryDirectory() as folder:
            network = worker_models.export_network(torch, folder).to("cuda")
            for words in ([], ["--input", "gather"], ["--completion", "blocking"], ["--completion", "polling"],
                          ["--completion", "spinning"], ["--launch", "eager"]):
                with self.subTest(words=words), Server("--device", "cuda", "--max-batch", "8", "--model",
                                                       f"{folder}/net.pt2", *words) as server:
                    self.check(server, network)

    def check(self, server, network):
        def ask(rows):
            image, scale = torch.randn(rows, 3, 16, 16), torch.randn(rows, 1)
            given = list(infer(server, "net", image=image, scale=scale).values())
            with torch.no_grad():
                wanted = network(image.cuda(), scale.cuda())
            torch.testing.assert_close(given[0], wanted[0].cpu(), rtol=1e-3, atol=1e-4)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(ask, [1 + i % 8 for i in range(100)]))


if __name__ == "__main__":
    unittest.main()
