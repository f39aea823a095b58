"""`stash serve --device cpu`: what happens to models that fail, hang, die, cannot be loaded or are loaded again."""

import concurrent.futures
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time
import unittest

import program

program.require_program()

import torch  # noqa: E402

import serving  # noqa: E402
import worker_models  # noqa: E402
from serving import Server  # noqa: E402
from worker_clients import LIMIT_S, infer, numbers, until  # noqa: E402


class BadModels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        name = cls.folder.name
        worker_models.write_modules(name)
        cls.server = Server("--device", "cpu", "--max-batch", "4", "--batch-limit", "2s",
                            "--model", worker_models.module(name, "moody"),
                            "--model", worker_models.module(name, "twice"),
                            "--model", worker_models.module(name, "broken"),
                            "--model", worker_models.module(name, "greedy"))

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        cls.folder.cleanup()

    def mood(self, value):
        return self.server.ask("POST", "/v2/models/moody/infer", numbers(value))

    def is_ready(self):
        return self.server.ask("GET", "/v2/models/moody/ready")[0] == 200

    def test_one_that_fails_says_so_and_goes_on(self):
        until(self.is_ready, "ready")
        status, answer = self.mood(101)
        self.assertEqual((status, "ValueError: no such mood" in answer["error"]), (500, True), answer)
        self.assertEqual(self.mood(5)[1]["outputs"][0]["data"], [5])

    def test_nan_is_an_error_of_that_request_only(self):
        until(self.is_ready, "ready")
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            held = pool.submit(self.mood, 105)  # others collect meanwhile
            time.sleep(0.1)
            given = list(pool.map(self.mood, (104, 1, 2)))
            held.result()
        self.assertEqual([status for status, _ in given], [500, 200, 200], given)
        self.assertIn("returned NaN", given[0][1]["error"])

    def test_one_that_hangs_is_ended_and_started_again(self):
        until(self.is_ready, "ready")
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            hangs = pool.submit(self.mood, 102)
            while not hangs.done():  # others are served meanwhile
                self.assertEqual(infer(self.server, "twice", x=torch.ones(1, 4))["output"].tolist(), [[2.0] * 4])
        status, answer = hangs.result()
        self.assertEqual((status, "did not end its work within 2" in answer["error"]), (500, True), answer)
        until(self.is_ready, "ready again")
        self.assertEqual(self.mood(5)[0], 200)

    def test_one_that_ends_its_process_is_started_again(self):
        until(self.is_ready, "ready")
        status, answer = self.mood(103)
        self.assertEqual((status, "exit code 3" in answer["error"]), (500, True), answer)
        until(self.is_ready, "ready again")
        self.assertEqual(self.mood(5)[0], 200)

    def test_those_that_cannot_be_loaded_say_why_and_harm_nobody(self):
        index = {one["name"]: one for one in self.server.ask("POST", "/v2/repository/index")[1]}
        self.assertEqual(index["twice"]["state"], "READY")
        for name, said in (("broken", "no_such_module"), ("greedy", "memory")):
            self.assertEqual(index[name]["state"], "UNAVAILABLE")
            for path in (f"/v2/models/{name}", f"/v2/models/{name}/ready"):
                status, answer = self.server.ask("GET", path)
                self.assertEqual((status, said in answer["error"]), (503, True), answer)
            status, answer = self.server.ask("POST", f"/v2/models/{name}/infer", numbers(1))
            self.assertEqual((status, said in answer["error"]), (503, True), answer)

    def test_killed_workers_leave_no_request_without_an_answer(self):
        until(self.is_ready, "ready")
        stop, answers = threading.Event(), []

        def client(seed):
            value = seed
            while not stop.is_set():
                value = value % 90 + 1
                status, answer = self.mood(value)
                answers.append((value, status, answer))
        clients = [threading.Thread(target=client, args=(10 * i,)) for i in range(4)]
        for one in clients:
            one.start()
        before = len(answers)
        until(lambda: len(answers) > before + 50, "answers")
        for pid in self.workers():
            os.kill(pid, signal.SIGKILL)
        until(lambda: any(status != 200 for _, status, _ in answers), "an error")
        until(self.is_ready, "ready again")
        now = len(answers)
        until(lambda: len(answers) > now + 20, "answers again")
        stop.set()
        for one in clients:
            one.join()
        for value, status, answer in answers:
            if status == 200:
                self.assertEqual(answer["outputs"][0]["data"], [value])
            else:
                self.assertIn(status, (500, 503))
                self.assertIn("has ended", answer["error"])
        until(lambda: self.server.ask("GET", "/v2/models/twice/ready")[0] == 200, "the other one")

    def workers(self):
        children = pathlib.Path(f"/proc/{self.server.process.pid}/task")
        return [int(pid) for task in children.iterdir() for pid in (task / "children").read_text().split()]


class Start(unittest.TestCase):
    def test_a_model_that_cannot_be_served_is_an_error_that_says_what_to_do(self):
        with tempfile.TemporaryDirectory() as folder:
            worker_models.write_modules(folder)
            (pathlib.Path(folder) / "text.pt2").write_text("no package")
            for spec, code, said in ((f"py:{folder}/none.py:load", 2, "there is no file"),
                                     (f"{folder}/none.pt2", 2, "there is no file"),
                                     (f"{folder}/text.pt2", 2, "torch.export.save"),
                                     (worker_models.module(folder, "no_inputs"), 2, "inputs = [{"),
                                     (f"py:{folder}/twice.py:start", 2, "no function start()"),
                                     (worker_models.module(folder, "broken"), 1, "no_such_module"),
                                     (worker_models.module(folder, "wrong_rows"), 2, "first dimension"),
                                     ("resnet5O", 2, "resnet50")):
                with self.subTest(spec=spec):
                    ended = subprocess.run([serving.PROGRAM, "serve", "--device", "cpu", "--port", "0", "--model",
                                            spec], capture_output=True, text=True, timeout=LIMIT_S)
                    self.assertEqual((ended.returncode, said in ended.stderr), (code, True), ended.stderr)


class Reload(unittest.TestCase):
    def test_a_new_version_takes_over_and_no_request_is_lost(self):
        for way in ("swap", "stop"):
            with self.subTest(way=way), tempfile.TemporaryDirectory() as folder:
                worker_models.write_modules(folder)
                version = pathlib.Path(folder) / "versioned.txt"
                version.write_text("1")
                with Server("--device", "cpu", "--reload", way, "--model",
                            worker_models.module(folder, "versioned")) as server:
                    seen = reload_under_load(server, version, 2)
                    self.assertEqual({number for _, number in seen}, {1.0, 2.0, 3.0})
                    version.with_suffix(".py").write_text("broken(")
                    status, answer = server.ask("POST", "/v2/repository/models/versioned/load")
                    self.assertEqual((status, "SyntaxError" in answer["error"]), (500, True), answer)
                    status, answer = server.ask("POST", "/v2/models/versioned/infer", numbers(1))
                    self.assertEqual(status, 200 if way == "swap" else 503, answer)

    def test_many_new_versions_lose_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            worker_models.write_modules(folder)
            version = pathlib.Path(folder) / "versioned.txt"
            version.write_text("1")
            with Server("--device", "cpu", "--model", worker_models.module(folder, "versioned")) as server:
                seen = reload_under_load(server, version, 20)
                self.assertEqual({number for _, number in seen}, {float(i) for i in range(1, 22)})


def reload_under_load(server, version, reloads):
    """Loads the model again and again while clients ask; what they got, in the order of each."""
    stop, seen = threading.Event(), []

    def client(seed):
        value, last = float(seed), 0
        while not stop.is_set():
            value += 4
            status, answer = server.ask("POST", "/v2/models/versioned/infer", numbers(value))
            own, number = answer["outputs"][0]["data"]
            assert (status, own) == (200, value), answer
            assert number >= last, f"version {number} after {last}"
            last = number
            seen.append((value, number))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        clients = [pool.submit(client, i) for i in range(4)]
        for i in range(reloads):
            until(lambda now=i + 1: seen and seen[-1][1] == now, f"version {i + 1}")
            version.write_text(str(i + 2))
            status, answer = server.ask("POST", "/v2/repository/models/versioned/load")
            assert status == 200, answer
        until(lambda: seen[-1][1] == reloads + 1, "the last version")
        stop.set()
        for one in clients:
            one.result()
    return seen


class Ways(unittest.TestCase):
    def test_all_ways_give_the_same_answers(self):
        with tempfile.TemporaryDirectory() as name:
            worker_models.write_modules(name)
            self.check_ways(name)

    def check_ways(self, name):
        for words in (["--input", "gather"], ["--completion", "blocking"], ["--completion", "spinning"]):
            with self.subTest(words=words), Server("--device", "cpu", "--max-batch", "4", "--model",
                                                   worker_models.module(name, "twice"), *words) as server:
                def ask(i, server=server):
                    x = torch.full((1, 4), float(i))
                    return torch.equal(infer(server, "twice", x=x)["output"], 2 * x)
                with concurrent.futures.ThreadPoolExecutor(8) as pool:
                    self.assertTrue(all(pool.map(ask, range(60))))


if __name__ == "__main__":
    unittest.main()
