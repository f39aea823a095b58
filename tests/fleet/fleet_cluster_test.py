"""kubectl and sky as `stash fleet` calls them: fakes on the PATH check every word; exported files are read again."""

import ast
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import fleets
import program
from fleets import PROGRAM

try:
    import yaml
except ImportError:
    print("needs PyYAML, which the transformers of tests/requirements.txt bring")
    sys.exit(program.SKIPPED)

# Keeps deployments in a file, and takes only what the real one takes.
KUBECTL = """#!PYTHON
import json, pathlib, sys
folder = pathlib.Path(sys.argv[0]).parent
words = sys.argv[1:]
with open(folder / "calls", "a") as calls:
    calls.write(json.dumps(words) + "\\n")
state = json.loads((folder / "state.json").read_text())
assert words[-2:] == ["--request-timeout", "20s"], words
if (folder / "broken").exists():
    print("Unable to connect to the server: dial tcp: i/o timeout", file=sys.stderr)
    sys.exit(1)
if words[:2] == ["get", "deployments"]:
    assert words[2:6] == ["--selector", "stash-fleet/model=tiny", "--output", "json"] and words[6:8] == ["--namespace", "n"]
    print(json.dumps({"items": [
        {"metadata": {"name": "d", "labels": {"stash-fleet/machine": "small", "stash-fleet/spot": "false"}},
         "spec": {"replicas": state["replicas"]}, "status": {"readyReplicas": state["replicas"]}}]}))
elif words[:2] == ["get", "pods"]:
    print(json.dumps({"items": [{"metadata": {"name": "p"}, "status": {"phase": "Running"}}]}))
elif words[:2] == ["get", "--raw"]:
    assert words[2] == "/api/v1/namespaces/n/pods/p:8000/proxy/metrics", words
    state["asked"] += 1
    (folder / "state.json").write_text(json.dumps(state))
    print(f'stash_requests_answered_total{{model="tiny"}} {state["asked"] * state["per_look"]}')
    print('stash_requests_refused_total{model="tiny"} 0')
elif words[:2] == ["scale", "deployment"]:
    assert words[2:4] == ["d", "--current-replicas"] and words[5] == "--replicas", words
    assert int(words[4]) == state["replicas"], words
    state["replicas"] = int(words[6])
    (folder / "state.json").write_text(json.dumps(state))
    print("deployment.apps/d scaled")
else:
    sys.exit(f"unknown command {words}")
"""

SKY = """#!PYTHON
import json, pathlib, sys
import yaml
folder = pathlib.Path(sys.argv[0]).parent
words = sys.argv[1:]
with open(folder / "calls", "a") as calls:
    calls.write(json.dumps(words) + "\\n")
state = json.loads((folder / "state.json").read_text())
if words == ["serve", "status"]:
    print("Services")
    if not state["services"]:
        print("No existing services.")
        sys.exit()
    print("NAME              VERSION  UPTIME  STATUS  REPLICAS  ENDPOINT")
    for name, count in state["services"].items():
        print(f"{name:<16}  1        1m      READY   {count}/{count}       1.2.3.4:30001")
    sys.exit()
if words[:4] == ["serve", "up", "--yes", "--service-name"] or words[:3] == ["serve", "update", "--yes"]:
    name, file = words[-2:]
    assert (name in state["services"]) == (words[1] == "update"), words
    task = yaml.safe_load(open(file))
    assert set(task) == {"service", "resources", "run"}, task
    state["services"][name] = task["service"]["replicas"]
elif words[:3] == ["serve", "down", "--yes"]:
    del state["services"][words[3]]
else:
    sys.exit(f"unknown command {words}")
(folder / "state.json").write_text(json.dumps(state))
"""


class Clusters(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.market = fleets.write_market(self.path)

    def fake(self, name, text, **state):
        file = self.path / name
        file.write_text(text.replace("PYTHON", sys.executable))
        file.chmod(0o755)
        (self.path / "state.json").write_text(json.dumps(state))

    def state(self):
        return json.loads((self.path / "state.json").read_text())

    def run_fleet(self, *words):
        return subprocess.run([PROGRAM, "fleet", "run", "--model", "tiny=sleep:10ms", "--market", str(self.market),
                               "--objective", "400ms", "--policy", "mark", "--folder", str(self.path / "fleet"), *words],
                              env={**os.environ, "PATH": f"{self.path}:{os.environ['PATH']}"}, capture_output=True,
                              text=True, timeout=fleets.LIMIT_S)

    def test_kubernetes_deployments_are_scaled_from_what_they_were(self):
        self.fake("kubectl", KUBECTL, replicas=0, asked=0, per_look=10)
        ended = self.run_fleet("--provider", "kubernetes", "--namespace", "n", "--for", "1s")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("http://stash-tiny.n.svc:8000", ended.stdout)
        self.assertEqual(self.state()["replicas"], 1)  # one at least; and it stays
        self.assertTrue((self.path / "fleet" / "fleet.json").exists())

    def test_a_cluster_that_does_not_answer_changes_nothing(self):
        self.fake("kubectl", KUBECTL, replicas=3, asked=0, per_look=10)
        (self.path / "broken").write_text("")
        ended = self.run_fleet("--provider", "kubernetes", "--namespace", "n", "--for", "1s")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("Unable to connect to the server", ended.stderr)
        self.assertEqual(self.state()["replicas"], 3)

    def test_skypilot_services_are_brought_up_and_down(self):
        self.fake("sky", SKY, services={})
        words = ["--provider", "skypilot", "--image", "me/server:1", "--metrics", "http://127.0.0.1:9/metrics"]
        ended = self.run_fleet(*words, "--for", "1s")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("the load is not known", ended.stderr)
        self.assertEqual(self.state()["services"], {"stash-tiny-small": 1})
        ended = self.run_fleet(*words, "--for", "1s", "--stop")
        self.assertEqual(self.state()["services"], {}, ended.stderr)
        ended = self.run_fleet("--provider", "skypilot")
        self.assertEqual((ended.returncode, "--image NAME" in ended.stderr), (2, True))

    def test_a_program_that_is_missing_is_named(self):
        ended = subprocess.run([PROGRAM, "fleet", "run", "--model", "sleep:10ms", "--market", str(self.market),
                                "--objective", "400ms", "--policy", "mark", "--provider", "kubernetes", "--folder",
                                str(self.path / "f")],
                               env={**os.environ, "PATH": str(self.path)}, capture_output=True, text=True, timeout=60)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("there is no `kubectl` here", ended.stderr)


class Export(unittest.TestCase):
    """The fields are those of the references: kubernetes.io/docs/reference (apps/v1, autoscaling/v2), keda.sh
    ScaledObject, KServe's v1beta1, SkyPilot's service YAML and Ray's ServeDeploySchema."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.market = fleets.write_market(
            self.path, fleets.machine("g4dn.xlarge", devices=2, spot_usd_per_hour=0.2),
            fleets.machine("c6i.large", usd=0.1, has_gpu=False))

    def export(self, target, *words, machines="2-6*g4dn.xlarge,c6i.large:spot"):
        ended = subprocess.run([PROGRAM, "fleet", "export", "--to", target, "--model", "tiny=sleep:10ms", "--market",
                                str(self.market), "--objective", "400ms", "--machines", machines, "--folder",
                                str(self.path / "out"), *words], capture_output=True, text=True, timeout=60)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return [pathlib.Path(line) for line in ended.stdout.splitlines()]

    def documents(self, file):
        return [one for one in yaml.safe_load_all(file.read_text()) if one]

    def test_kubernetes(self):
        fleet, hpa, keda = self.export("kubernetes", "--namespace", "n")
        *deployments, service = self.documents(fleet)
        self.assertEqual([one["metadata"]["name"] for one in deployments],
                         ["stash-tiny-g4dn-xlarge", "stash-tiny-c6i-large-spot"])
        for one, replicas in zip(deployments, (2, 1)):
            self.assertEqual((one["apiVersion"], one["kind"]), ("apps/v1", "Deployment"))
            self.assertEqual(one["spec"]["replicas"], replicas)
            labels = one["spec"]["template"]["metadata"]["labels"]
            self.assertEqual(one["spec"]["selector"]["matchLabels"], labels)
            self.assertTrue(all(isinstance(value, str) for value in labels.values()), labels)
            self.assertLessEqual(service["spec"]["selector"].items(), labels.items())
            container, = one["spec"]["template"]["spec"]["containers"]
            self.assertEqual(container["readinessProbe"]["httpGet"], {"path": "/v2/health/ready", "port": 8000})
            self.assertEqual(container["args"][:3], ["serve", "--model", "tiny=sleep:10ms"])
            self.assertTrue(all(isinstance(word, str) for word in container["args"]))
        gpu = deployments[0]["spec"]["template"]["spec"]["containers"][0]
        self.assertEqual(gpu["resources"]["limits"], {"nvidia.com/gpu": 2})
        self.assertNotIn("resources", deployments[1]["spec"]["template"]["spec"]["containers"][0])
        self.assertEqual(service["spec"]["ports"][0]["port"], 8000)
        scaler = self.documents(hpa)[0]
        self.assertEqual((scaler["apiVersion"], scaler["kind"]), ("autoscaling/v2", "HorizontalPodAutoscaler"))
        self.assertEqual((scaler["spec"]["minReplicas"], scaler["spec"]["maxReplicas"]), (2, 6))
        self.assertRegex(scaler["spec"]["metrics"][0]["pods"]["target"]["averageValue"], r"^\d+m$")
        scaled = self.documents(keda)[0]
        self.assertEqual((scaled["apiVersion"], scaled["kind"]), ("keda.sh/v1alpha1", "ScaledObject"))
        self.assertEqual(scaled["spec"]["scaleTargetRef"]["name"], "stash-tiny-g4dn-xlarge")
        self.assertGreater(float(scaled["spec"]["triggers"][0]["metadata"]["threshold"]), 1)

    def test_kubectl_reads_the_files(self):
        if not shutil.which("kubectl"):
            self.skipTest("there is no kubectl")
        self.export("kubernetes")
        out = self.path / "out"
        (out / "kustomization.yaml").write_text("resources: [fleet.yaml, hpa.yaml, keda.yaml]\n")
        ended = subprocess.run(["kubectl", "kustomize", str(out)], capture_output=True, text=True, timeout=60)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(len(list(yaml.safe_load_all(ended.stdout))), 7)

    def test_kserve(self):
        file, = self.export("kserve")
        for one in self.documents(file):
            self.assertEqual((one["apiVersion"], one["kind"]), ("serving.kserve.io/v1beta1", "InferenceService"))
            predictor = one["spec"]["predictor"]
            self.assertEqual(predictor["scaleMetric"], "rps")
            self.assertIsInstance(predictor["scaleTarget"], int)
            self.assertLessEqual(predictor["minReplicas"], predictor["maxReplicas"])
            self.assertEqual(predictor["containers"][0]["name"], "kserve-container")

    def test_skypilot(self):
        gpu, cpu = (self.documents(file)[0] for file in self.export("skypilot", "--image", "me/server:1"))
        self.assertEqual(gpu["resources"], {"instance_type": "g4dn.xlarge", "image_id": "docker:me/server:1",
                                            "use_spot": False, "ports": 8000})
        self.assertEqual(gpu["service"]["readiness_probe"]["path"], "/v2/health/ready")
        self.assertEqual(gpu["service"]["replica_policy"]["max_replicas"], 6)
        self.assertEqual((cpu["service"]["replicas"], cpu["resources"]["use_spot"]), (1, True))
        self.assertIn("'tiny=sleep:10ms'", gpu["run"])

    def test_ray(self):
        config, module = self.export("ray")
        first, second = self.documents(config)[0]["applications"]
        self.assertEqual((first["route_prefix"], second["route_prefix"]), ("/", "/stash-tiny-c6i-large-spot"))
        deployment, = first["deployments"]
        self.assertEqual(deployment["autoscaling_config"]["min_replicas"], 4)  # two machines of two GPUs
        self.assertEqual(deployment["ray_actor_options"], {"num_cpus": 1, "num_gpus": 1})
        tree = ast.parse(module.read_text())
        self.assertIn("Model", [one.name for one in tree.body if isinstance(one, ast.ClassDef)])

    def test_a_plan_becomes_machines(self):
        plan = self.path / "plan.json"
        hours = [{"machines": {"g4dn.xlarge": {"fewest": low, "most": most}}} for low, most in ((1, 2), (2, 5))]
        plan.write_text(json.dumps({"schema_version": 1, "model": "tiny", "objective_s": 0.4, "hours": hours}))
        words = [PROGRAM, "fleet", "export", "--to", "kserve", "--market", str(self.market), "--plan", str(plan)]
        ended = subprocess.run([*words, "--model", "tiny=sleep:10ms"], capture_output=True, text=True, timeout=60)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        one, = (one for one in yaml.safe_load_all(ended.stdout) if one)
        self.assertEqual((one["spec"]["predictor"]["minReplicas"], one["spec"]["predictor"]["maxReplicas"]), (1, 5))
        self.assertIn("400000us", one["spec"]["predictor"]["containers"][0]["args"])
        for wrong, said in (({"hours": []}, "no machines"), ({"hours": [{"machines": {"x": {"fewest": 1, "most": 2}}}]}, "x"),
                            ({"hours": 3}, "hours")):
            plan.write_text(json.dumps({"schema_version": 1, "model": "tiny", "objective_s": 0.4, **wrong}))
            ended = subprocess.run([*words, "--model", "tiny=sleep:10ms"], capture_output=True, text=True, timeout=60)
            self.assertIn(ended.returncode, (1, 2))
            self.assertIn(said, ended.stderr)

    def test_what_cannot_be_is_refused(self):
        for words, said in ((["--to", "kubernets", "--machines", "g4dn.xlarge"], "kubernetes"),
                            (["--to", "ray", "--machines", "g4dn.xlarg"], "g4dn.xlarge"),
                            (["--to", "ray", "--machines", "3-2*g4dn.xlarge"], "--machines takes"),
                            (["--to", "ray", "--machines", "x*g4dn.xlarge"], "--machines takes"),
                            (["--to", "ray"], "--rate 300"),
                            (["--to", "ray", "--rate", "3", "--machines", "g4dn.xlarge"], "in one way"),
                            (["--to", "ray", "--rate", "0"], "--rate takes"),
                            (["--to", "ray", "--machines", "g4dn.xlarge", "--objective", "1ms"], "cannot answer")):
            with self.subTest(words=words):
                given = [] if "--objective" in words else ["--objective", "400ms"]
                ended = subprocess.run([PROGRAM, "fleet", "export", "--model", "tiny=sleep:10ms", "--market",
                                        str(self.market), *given, *words], capture_output=True, text=True, timeout=60)
                self.assertEqual(ended.returncode, 2, ended.stderr)
                self.assertIn(said, ended.stderr)


if __name__ == "__main__":
    unittest.main()
