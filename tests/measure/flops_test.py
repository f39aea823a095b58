"""Every layer's operations and shape, against torch's own count."""

import unittest

import program

program.require_program()

import torch  # noqa: E402
from torch.utils.flop_counter import FlopCounterMode  # noqa: E402

import _stash  # noqa: E402

BATCH = 2


def counted(work):
    with FlopCounterMode(display=False) as counter:
        work()
    return counter.get_total_flops()


def expected_backward(layer):
    """What FlopCounterMode counts where the graph counts something else on purpose (models/graph.h)."""
    if layer["groups"] > 1 and layer["op"] == "conv2d":
        # It counts a grouped convolution's weight gradient as if it were not grouped.
        return layer["backward_ops"] + (layer["groups"] - 1) * layer["forward_ops"]
    return layer["backward_ops"]


class Operations(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.models = {model["name"]: model for model in program.stash("models", "--format", "json").json()["models"]}

    def check_layer(self, runner, index, layer):
        self.assertEqual(counted(lambda: runner.forward(index)), layer["forward_ops"] * BATCH, layer)
        backward = counted(lambda: runner.backward(index))
        if layer["op"] == "attention":
            # The graph has the five products of fused kernels. Without a device torch takes the unfused path, which
            # keeps the scores and needs four.
            self.assertEqual(layer["backward_ops"], 2.5 * layer["forward_ops"], layer)
            self.assertIn(backward / BATCH, (2 * layer["forward_ops"], 2.5 * layer["forward_ops"]), layer)
        else:
            self.assertEqual(backward, expected_backward(layer) * BATCH, layer)
        shape = [BATCH, *layer["output"]] if layer["output"] else []
        self.assertEqual(runner.output_shape(index), shape, layer)

    def check_model(self, name, **size):
        runner = _stash.LayerRunner(name, BATCH, **size)
        for index, layer in enumerate(runner.layers()):
            self.check_layer(runner, index, layer)
        return runner.layers()

    def test_every_model_has_the_operations_and_shapes_that_torch_counts(self):
        self.assertGreaterEqual(len(self.models), 20)
        for name, model in self.models.items():
            with self.subTest(name):
                layers = self.check_model(name)
                self.assertEqual(len(layers), model["layers"])
                self.assertEqual(sum(layer["forward_ops"] for layer in layers), model["operations_per_sample"])

    def test_so_it_is_with_other_sizes(self):
        for name in ("resnet18", "squeezenet1_0", "mobilenet_v2", "shufflenet_v2_x0_5", "efficientnet_b0"):
            with self.subTest(name):
                self.check_model(name, image_size=160)
        for name in ("gpt2", "bert_base", "bert_base_pretrain"):
            with self.subTest(name):
                self.check_model(name, seq_len=64)

    def test_so_it_is_with_other_depths_and_widths(self):
        for name in ("resnet26_nobn_noshortcut", "resnet38", "vgg11_w0.5"):
            with self.subTest(name):
                self.check_model(name)

    def test_the_counter_counts(self):
        """A counter that has gone blind would agree with a graph of zeros."""
        x = torch.empty(3, 5, device="meta")
        self.assertEqual(counted(lambda: x @ x.T), 2 * 3 * 5 * 3)


if __name__ == "__main__":
    unittest.main()
