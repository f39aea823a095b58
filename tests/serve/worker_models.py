"""Models for tests of `stash serve --device cpu`, written into a folder."""

import pathlib

MODULES = {
    "twice.py": """
import torch
inputs = [{"name": "x", "datatype": "FP32", "shape": [-1, 4]}]
def load():
    return lambda x: x * 2
""",
    # Does what its input says: fails, hangs, ends its process, returns NaN.
    "moody.py": """
import os, time, torch
inputs = [{"name": "x", "datatype": "FP32", "shape": [-1, 1]}]
def load():
    def run(x):
        what = x.max().item()
        if what == 101: raise ValueError("no such mood")
        if what == 102: time.sleep(1000)
        if what == 103: os._exit(3)
        if what == 104: return torch.where(x == 104, float("nan"), x)
        if what == 105: time.sleep(0.5)
        return x
    return run
""",
    "pair.py": """
import torch
inputs = [{"name": "a", "datatype": "FP32", "shape": [-1, 2]}, {"name": "b", "datatype": "INT64", "shape": [-1, 3]}]
class Pair(torch.nn.Module):
    def forward(self, a, b):
        return {"sum": a.sum(1, keepdim=True) + b.sum(1, keepdim=True), "last": b[:, 2:]}
def load():
    return Pair()
""",
    # Gives the number in a file as it was when it was loaded, for every sample.
    "versioned.py": """
import pathlib, torch
inputs = [{"name": "x", "datatype": "FP32", "shape": [-1, 1]}]
def load():
    number = float(pathlib.Path(__file__).with_suffix(".txt").read_text())
    return lambda x: torch.cat([x, torch.full_like(x, number)], 1)
""",
    "no_inputs.py": "def load():\n    return lambda x: x\n",
    "broken.py": "import no_such_module\n",
    "greedy.py": """
import torch
inputs = [{"name": "x", "datatype": "FP32", "shape": [-1, 1]}]
def load():
    weights = torch.empty(1 << 50)
    return lambda x: x
""",
    "wrong_rows.py": """
inputs = [{"name": "x", "datatype": "FP32", "shape": [-1, 1]}]
def load():
    return lambda x: x.sum(0)
""",
}


def write_modules(folder):
    for name, text in MODULES.items():
        (pathlib.Path(folder) / name).write_text(text)


def module(folder, name):
    return f"py:{folder}/{name}.py:load"


def make_network(torch):
    """A small network with what exported programs have: buffers, attention, several inputs and outputs."""
    class Network(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = torch.nn.Conv2d(3, 8, 3, stride=2)
            self.norm = torch.nn.BatchNorm2d(8)
            self.attention = torch.nn.MultiheadAttention(8, 2, batch_first=True)
            self.classes = torch.nn.Linear(8, 5)
            self.register_buffer("shift", torch.arange(8.0))

        def forward(self, image, scale):
            x = torch.relu(self.norm(self.conv(image))) + self.shift.view(1, 8, 1, 1)
            x = x.flatten(2).transpose(1, 2)
            y, _ = self.attention(x, x, x, need_weights=False)
            first, second = y.chunk(2, dim=1)
            z = torch.cat([first[:, :4], second[:, :4]], 1).reshape(x.shape[0], -1, 8).mean(1)
            return self.classes(z) * scale, z.argmax(1, keepdim=True)
    torch.manual_seed(0)
    return Network().eval()


def export_network(torch, folder):
    """net.pt2, for any batch, and fixed.pt2, for batches of four; the network itself."""
    network = make_network(torch)
    sample = (torch.randn(4, 3, 16, 16), torch.ones(4, 1))
    batch = torch.export.Dim("batch")
    torch.export.save(torch.export.export(network, sample, dynamic_shapes=({0: batch}, {0: batch})),
                      f"{folder}/net.pt2")
    torch.export.save(torch.export.export(network, sample), f"{folder}/fixed.pt2")
    return network
