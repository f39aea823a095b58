"""`stash view` through the program: pages, events, hostile requests and names."""

import http.client
import json
import os
import re
import signal
import socket
import time
import unittest
import urllib.parse

import made_profile
import program

program.require_program(extension=False)

NAMES = ["<img src=x onerror=alert(1)>.json", "\"'&`|.json", "a\nb\x1b[31m.json", "x..%2F..%2Fetc.json", "y" * 240 + ".json"]


class View(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)
        self.results = self.folder.path / "results"
        self.results.mkdir()
        self.write("a.json", seed=1)
        self.write("b.json", seed=2, name="vgg11")
        (self.folder.path / "secret.json").write_text(json.dumps(made_profile.made_profile(name="secret")))
        self.run_ = program.Run("view", self.results, cwd=self.folder.path)
        self.addCleanup(self.end)
        self.first = self.run_.process.stdout.readline()
        self.assertRegex(self.first, r"^http://127\.0\.0\.1:\d+/\n$")
        self.port = int(re.search(r":(\d+)/", self.first)[1])

    def end(self):
        if self.run_.process.poll() is None:
            self.run_.process.send_signal(signal.SIGINT)
            self.assertEqual(self.run_.finish(20).code, 0)

    def write(self, file, **arguments):
        target = self.results / file
        temporary = self.results / ".new"
        temporary.write_text(json.dumps(made_profile.made_profile(**arguments)))
        temporary.rename(target)

    def ask(self, target, method="GET", host=None, status=200):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request(method, target, headers={"Host": host} if host else {})
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        self.assertEqual(answer.status, status, body)
        self.headers = answer.headers
        return body

    def test_lists_filters_reports_and_compares(self):
        page = self.ask("/")
        self.assertIn('href="/profile?file=a.json"', page)
        self.assertIn("vgg11", page)
        self.assertNotIn("secret", page)
        self.assertIn("connect-src 'self'", self.headers["Content-Security-Policy"])
        rows = self.ask("/rows?words=vgg11&device=cuda")
        self.assertIn("b.json", rows)
        self.assertNotIn("a.json", rows)
        self.assertIn("resnet50", self.ask("/profile?file=a.json"))
        self.assertNotIn("connect-src", self.headers["Content-Security-Policy"])
        self.assertIn("model was resnet50, is vgg11", self.ask("/compare?before=a.json&after=b.json"))
        self.assertEqual(self.ask("/", method="HEAD"), "")

    def test_files_that_come_change_and_go_are_events(self):
        stream = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        stream.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % self.port)
        lines = stream.makefile("rb")
        while lines.readline() not in (b": open\n", b""):
            pass

        def wait_for(told):
            deadline = time.monotonic() + 30
            while not told(self.ask("/rows")):
                self.assertLess(time.monotonic(), deadline)
                while lines.readline() not in (b"data: changed\n", b""):
                    pass

        wait_for(lambda rows: "a.json" in rows)
        self.write("new.json", name="alexnet")
        wait_for(lambda rows: "alexnet" in rows)
        self.write("new.json", name="googlenet", seed=3)
        wait_for(lambda rows: "googlenet" in rows and "alexnet" not in rows)
        (self.results / "new.json").unlink()
        wait_for(lambda rows: "googlenet" not in rows)
        (self.results / "torn.json").write_text('{"schema_version": 1, "job"')
        wait_for(lambda rows: "not a profile" in rows)
        stream.close()

    def test_hostile_requests_are_refused_and_the_next_is_served(self):
        os.symlink(self.folder.path / "secret.json", self.results / "link.json")
        self.ask("/")
        for file in ("../secret.json", "..%2fsecret.json", "link.json", str(self.folder.path / "secret.json"), "", "."):
            self.assertNotIn("resnet50", self.ask("/profile?file=" + urllib.parse.quote(file, safe="%"), status=422))
        self.ask("/../secret.json", status=404)
        self.ask("/%2e%2e/secret.json", status=404)
        self.ask("/", host="evil.example", status=403)
        self.ask("/", host=f"evil.example:{self.port}", status=403)
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE"):
            self.ask("/", method=method, status=405)
        for raw, status in ((b"\x00\xff\r\n\r\n", b"400"), (b"GET / HTTP/1.1\r\n\r\n", b"400"), (b"x" * 20000, b"431"),
                            (b"GET / HTTP/3\r\nHost: a\r\n\r\n", b"505")):
            with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
                connection.sendall(raw)
                self.assertEqual(connection.recv(4096).split(b" ")[1], status, raw[:20])
        idle = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(100)]
        self.assertIn("a.json", self.ask("/"))
        for connection in idle:
            connection.close()

    def test_hostile_names_come_out_as_text(self):
        for name in NAMES:
            self.write(name, name=made_profile.HOSTILE)
        (self.results / os.fsdecode(b"\xff\xfe.json")).write_text(json.dumps(made_profile.made_profile(name="raw")))
        (self.results / "<b>.json").write_text("<script>alert(1)</script>")
        deadline = time.monotonic() + 30  # they are read a few at a time
        while len(links := re.findall(r'href="(/profile[^"]*)"', page := self.ask("/"))) < 2 + len(NAMES) + 1:
            self.assertLess(time.monotonic(), deadline)
        pages = [page] + [self.ask(link) for link in links] + [self.ask("/compare?before=a.json&after=" + urllib.parse.quote(link.split("=")[1])) for link in links]
        for shown in pages:
            for harmful in ("<img", "<script>alert", "<b>", "\x1b"):
                self.assertNotIn(harmful, shown)

    def test_thousands_of_files_are_listed(self):
        text = json.dumps(made_profile.made_profile(rounds=2))
        for number in range(1500):
            (self.results / f"{number}.json").write_text(text)
        self.assertEqual(self.ask("/").count("<tr>"), 1 + 2 + 1500)

    def test_ends_cleanly_and_says_what_is_wrong(self):
        taken = program.Run("view", self.results, "--port", self.port).finish(20)
        self.assertEqual(taken.code, 1)
        self.assertIn(str(self.port), taken.err)
        self.assertEqual(program.Run("view", self.folder.path / "none").finish(20).code, 1)
        self.assertEqual(program.Run("view", self.results, "--port", "70000").finish(20).code, 2)
        for stop in (signal.SIGINT, signal.SIGTERM):
            run = program.Run("view", self.results)
            run.process.stdout.readline()
            run.process.send_signal(stop)
            self.assertEqual(run.finish(20).code, 0)


if __name__ == "__main__":
    unittest.main()
