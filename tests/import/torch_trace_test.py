"""Traces that torch.profiler really writes, of one process and of two ranks, through the program."""

import gzip
import importlib.util
import json
import subprocess
import sys
import unittest

import program

program.require_program(extension=False)
if importlib.util.find_spec("torch") is None:  # importing it would take seconds
    print("no torch in this interpreter")
    sys.exit(program.SKIPPED)

SCRIPT = """
import os, sys, time, torch
import torch.distributed as dist
from torch.profiler import ProfilerActivity, profile

class Slow(torch.utils.data.Dataset):
    def __len__(self):
        return 6
    def __getitem__(self, index):
        time.sleep(0.02)
        return torch.randn(64)

torch.set_num_threads(1)
rank, ranks, out, marked = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4] == "marked"
model = torch.nn.Linear(64, 64)
if ranks > 1:
    dist.init_process_group("gloo", init_method="file://" + sys.argv[5], rank=rank, world_size=ranks)
    model = torch.nn.parallel.DistributedDataParallel(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with profile(activities=[ProfilerActivity.CPU],
             schedule=torch.profiler.schedule(wait=0, warmup=1, active=4, repeat=1) if marked else None,
             on_trace_ready=lambda p: p.export_chrome_trace(out)) as profiler:
    for batch in torch.utils.data.DataLoader(Slow()):
        model(batch).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        if marked:
            profiler.step()
if ranks > 1:
    dist.destroy_process_group()
os._exit(0)  # the trace is written; on a busy machine torch's own threads may outlive the interpreter and abort
"""


def trace(folder, names, marked="marked"):
    """The files of a short training, one for each of its ranks."""
    paths = [folder.path / name for name in names]
    ranks = [subprocess.Popen([sys.executable, "-c", SCRIPT, str(rank), str(len(paths)), str(path), marked,
                               str(folder.path / "meet")], stderr=subprocess.PIPE, text=True)
             for rank, path in enumerate(paths)]
    for rank in ranks:
        _, said = rank.communicate(timeout=90)
        if rank.returncode != 0:
            raise AssertionError(said)
    return paths


class TorchTrace(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.recorded = program.Folder()
        cls.addClassCleanup(cls.recorded.close)
        cls.marked, = trace(cls.recorded, ["trace.json"])

    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)

    def imported(self, *paths):
        result = program.stash("import", *paths, "--format", "json")
        self.assertEqual(result.code, 0, result.err)
        return result.json()

    def check(self, found, events):
        self.assertEqual(found["traces"][0]["events"], events)
        self.assertFalse(found["traces"][0]["truncated"])
        self.assertEqual(found["traces"][0]["damaged_places"], 0)
        self.assertEqual(found["traces"][0]["unusable_events"], 0)
        for rank in found["ranks"]:
            self.assertAlmostEqual(sum(s for s in rank["parts"].values() if s is not None), rank["step_s"], 9)

    def test_a_slow_loader_is_found_as_input_of_each_marked_step(self):
        found = self.imported(self.marked)
        self.check(found, len(json.loads(self.marked.read_text())["traceEvents"]))
        rank = found["ranks"][0]
        self.assertEqual(rank["step_source"], "profiler")
        self.assertEqual(len(rank["steps"]), 4)
        self.assertIsNone(rank["device"])
        self.assertGreaterEqual(rank["parts"]["input_s"], 0.02)
        self.assertGreater(rank["parts"]["compute_s"], 0)
        self.assertIn("input costs", found["verdict"])

    def test_without_a_schedule_the_optimizer_marks_steps_and_gzip_is_read(self):
        path, = trace(self.folder, ["trace.json.gz"], "unmarked")
        found = self.imported(path)
        self.check(found, len(json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]))
        self.assertEqual(found["ranks"][0]["step_source"], "optimizer")
        self.assertEqual(len(found["ranks"][0]["steps"]), 6)

    def test_two_ranks_say_who_they_are_and_that_they_communicate(self):
        first, second = trace(self.folder, ["a.json", "b.json"])
        found = self.imported(second, first)
        self.assertEqual([rank["rank"] for rank in found["ranks"]], [0, 1])
        self.assertEqual(found["traces"][0]["world_size"], 2)
        self.assertGreater(found["communication_total_s"], 0)
        self.assertGreater(found["parts"]["communication_s"], 0)
        self.assertEqual(self.imported(first.parent), found)

    def test_a_trace_cut_in_half_gives_the_steps_before_the_cut(self):
        text = self.marked.read_text()
        path = self.folder.path / "trace.json"
        path.write_text(text[:text.index("ProfilerStep#4")])
        found = self.imported(path)
        self.assertTrue(found["traces"][0]["truncated"])
        self.assertIn("ends too early", found["warnings"][0])
        self.assertLess(len(found["ranks"][0]["steps"]), 4)

    def test_the_page_begins_with_the_verdict_and_ends_with_warnings(self):
        result = program.stash("import", self.marked)
        self.assertEqual(result.code, 0, result.err)
        self.assertIn("input costs", result.out.splitlines()[0])
        self.assertIn("coverage: ", result.out)
        self.assertIn("warning: trace.json has no GPU kernels", result.out)
        table = program.stash("import", self.marked, "--format", "csv").out.splitlines()
        self.assertEqual(len(table), 5)
        self.assertTrue(table[0].startswith("rank,device,step,s,compute_s,"))


if __name__ == "__main__":
    unittest.main()
