"""`stash characterize` on two hosts, under torchrun."""

import json
import os

import cluster

CASES = ("--models", "squeezenet1_0", "--batches", "2,4", "--device", "emulated:K80", "--conditions", "solo,joined",
         "--workers", "1", "--precision", "0.01%")
SHORT = (*CASES, "--case-time", "6s")
LONG = (*CASES, "--case-time", "60s")


class SuiteCase(cluster.HostsCase):
    def setUp(self):
        super().setUp()
        self.out = self.folder.path / "vms"
        self.out.mkdir()
        (self.out / "machine.json").write_text('{"figures": []}')  # passes for measured, which saves seconds
        self.made = self.make_hosts(2)

    def start(self, *flags, on_b=(), ranks=1):
        command = [os.environ["STASH_PROGRAM_FILE"], "characterize", "--out", self.out, *flags]
        commands = cluster.torchrun(self.made, ranks, *command)
        commands["b"] += on_b
        team = cluster.Team(commands, self.folder.path)
        self.addCleanup(team.kill)
        return team

    def finish(self, team, timeout=120):
        results = team.finish(timeout)
        self.assertEqual(team.survivors(), {}, "processes outlive the suite")
        return results, "\n".join(f"{name}: {result.err}" for name, result in results.items())

    def profiles(self):
        return {path.stem: json.loads(path.read_text()) for path in (self.out / "cases").glob("[!.]*.json")}

    def wait_for(self, team, text):
        team.wait_until(lambda: text in team.runs["a"].terminal.text, 90)

    def events(self):
        return [json.loads(line)["event"] for line in (self.out / "log.jsonl").read_text().splitlines() if line]
