"""The catalogue as a user has it: what is imported and added is there afterwards."""

import json
import os
import signal
import unittest
import urllib.request

import made_profile
import program

program.require_program(extension=False)

HEADER = ("InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,"
          "AvailabilityZone\n")


def profile():
    """A profile with nothing in it but links and input counters."""
    link = {"node": 0, "other": 0, "ranks": 2, "repeats": 5}
    sizes = [(1 << 20, 0.002), (1 << 22, 0.005), (1 << 24, 0.017)]
    links = [{**link, "scope": scope, "op": op, "other": other, "bytes": size, "s": s, "low_s": s * 0.9,
              "high_s": s * 1.1}
             for scope, op, other in (("node", "allreduce", 0), ("pair", "exchange", 1)) for size, s in sizes]
    counters = {"rank": 0, "samples": 1000, "read_bytes": 1, "cold_bytes": 0, "read_s": 1, "decode_s": 1.5,
                "augment_s": 0.5, "skipped": 0, "skipped_files": []}
    machine = {"hostname": os.uname().nodename, "cpu": "", "cores": 2, "memory_bytes": 1 << 30, "gpus": [],
               "kernel": "", "disk": None, "versions": {}}
    return {"schema_version": 1, "tool": "stash", "job": {"image_size": 224}, "machine": machine, "places": [],
            "windows": [], "edge_s": 0, "clocks_s": None, "layers": [], "buckets": [], "collectives": [],
            "inputs": [counters], "links": links, "loss": None, "stopped_by": "time", "complete": True, "elapsed_s": 1,
            "stolen_ratio": None, "warnings": []}


class Catalogue(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)

    def stash(self, *arguments):
        result = program.stash("catalog", *arguments, cwd=self.folder.path, XDG_DATA_HOME=self.folder.path / "data",
                               XDG_CACHE_HOME=self.folder.path / "cache")
        self.assertEqual(result.code, 0, result.err)
        return result

    def show(self, name):
        return self.stash("show", name, "--format", "json").json()

    def test_an_imported_price_is_shown_with_its_day_and_region(self):
        (self.folder.path / "vms.csv").write_text(
            HEADER + "p3.8xlarge,V100,4,32,244,,9.5,3.5,us-east-2,a\nnew.large,T4,1,4,16,,0.5,,us-east-1,a\n")
        said = self.stash("import", "--skypilot", "vms.csv", "--date", "2026-10-01").out
        self.assertIn("2 instances of aws, prices of 2026-10-01", said)
        row = self.show("p3.8xlarge")
        self.assertEqual((row["usd_per_hour"], row["spot_usd_per_hour"], row["price_date"]), (9.5, 3.5, "2026-10-01"))
        self.assertIn("us-east-2", row["price_source"])
        self.assertEqual(row["links"], "nvlink")
        self.assertEqual(self.show("new.large")["cloud"], "aws")

    def test_an_imported_price_is_in_every_format_of_a_report(self):
        layers = program.stash("models", "resnet18", "--format", "json").json()["layers"]
        profile = made_profile.starved_profile([layer["name"] for layer in layers])
        (self.folder.path / "starved.json").write_text(json.dumps(profile))
        self.assertIn("run on 1 x p3.8xlarge (4 x V100 each, $12.24 per hour)", self.report("text"))
        (self.folder.path / "vms.csv").write_text(HEADER + "p3.8xlarge,V100,4,32,244,,9.5,3.5,us-east-2,a\n")
        self.stash("import", "--skypilot", "vms.csv", "--date", "2026-10-01")
        for format_ in ("text", "json", "html"):
            self.assertIn("run on 1 x p3.8xlarge (4 x V100 each, $9.50 per hour)", self.report(format_), format_)
        self.assertIn("$9.50 per hour", self.page_of_view("starved.json"))

    def report(self, format_):
        result = program.stash("report", "starved.json", "--format", format_, cwd=self.folder.path,
                               XDG_DATA_HOME=self.folder.path / "data")
        self.assertEqual(result.code, 0, result.err)
        return result.out

    def page_of_view(self, file):
        run = program.Run("view", self.folder.path, XDG_DATA_HOME=self.folder.path / "data")
        try:
            address = run.process.stdout.readline().strip()
            urllib.request.urlopen(address, timeout=30).read()
            return urllib.request.urlopen(f"{address}profile?file={file}", timeout=30).read().decode()
        finally:
            run.process.send_signal(signal.SIGINT)
            run.finish(20)

    def test_the_day_of_a_snapshot_is_that_of_the_file(self):
        file = self.folder.path / "vms.csv"
        file.write_text(HEADER + "x,T4,1,4,16,,0.5,,us-east-1,a\n")
        os.utime(file, (1_767_225_600, 1_767_225_600))
        self.stash("import", "--skypilot", "vms.csv")
        self.assertEqual(self.show("x")["price_date"], "2026-01-01")

    def test_the_folder_names_the_cloud(self):
        (self.folder.path / "gcp").mkdir()
        (self.folder.path / "gcp" / "vms.csv").write_text(HEADER + "x,T4,1,4,16,,0.5,,us-east1,a\n")
        self.stash("import", "--skypilot", "gcp/vms.csv")
        self.assertEqual(self.show("x")["cloud"], "google")

    def test_a_cloud_has_the_same_names_for_every_verb(self):
        listed = {row["name"] for row in self.stash("list", "--cloud", "gcp", "--format", "json").json()["instances"]}
        advised = program.stash("advise", "--model", "resnet50", "--batch", 64, "--epochs", 1, "--samples", 100000,
                                "--cloud", "GCP", "--format", "csv")
        self.assertEqual(advised.code, 0, advised.err)
        names = {line.split(",")[1] for line in advised.out.splitlines()[1:]}
        self.assertTrue(names)
        self.assertEqual(names - listed, set())

    def test_warnings_about_a_table_send_no_control_characters(self):
        folder = self.folder.path / "data" / "stash" / "catalog"
        folder.mkdir(parents=True)
        (folder / "own.csv").write_text("name,cloud,gpu,gpus\nbad\x1b[31m,own,V100,many\n")
        for arguments in (("catalog", "list"), ("predict", "--model", "resnet50", "--on", "p3.2xlarge"),
                          ("advise", "--model", "resnet50", "--batch", 64, "--epochs", 1, "--samples", 1000),
                          ("characterize", "--instance", "p3.8xlarg")):
            result = program.stash(*arguments, XDG_DATA_HOME=self.folder.path / "data")
            self.assertIn("bad", result.err, arguments)
            self.assertNotIn("\x1b[31m", result.err, arguments)

    def test_a_machine_is_added_with_what_was_measured(self):
        (self.folder.path / "p.json").write_text(json.dumps(profile()))
        said = self.stash("add", "--this-machine", "--name", "lab", "--gpu", "v100", "--gpus", "4", "--usd-per-hour",
                          "2.5", "--profile", "p.json").out
        self.assertIn("lab (own): 4 x V100, 2.50 $/h", said)
        row = self.show("LAB")
        self.assertEqual((row["gpu"], row["gpus"], row["usd_per_hour"]), ("V100", 4, 2.5))
        self.assertEqual(row["decode_samples_per_s"], 500)
        self.assertAlmostEqual(row["link_bytes_per_s"], (1 << 24) / 0.017, delta=1)
        self.assertAlmostEqual(row["network_bytes_per_s"], (1 << 24) / 0.017, delta=1)
        self.assertAlmostEqual(row["network_latency_s"], 0.001, delta=2e-4)
        self.assertIn("measured", row["links_source"])
        self.assertGreater(row["memory_bytes"], 1 << 20)

    def test_a_machine_without_a_gpu_is_added_as_that(self):
        self.stash("add", "--name", "bare")
        row = self.show("bare")
        if row["gpus"] == 0:  # what the driver of this machine says
            self.assertEqual(row["gpu"], "")
        self.assertGreater(row["decode_samples_per_s"], 10)
        self.assertIn("measured", row["decode_source"])


if __name__ == "__main__":
    unittest.main()
