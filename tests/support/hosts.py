"""Hosts that are network namespaces of this machine, joined by a bridge, with links of a given rate."""

import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile

import program

IN_HOST = pathlib.Path(__file__).parent / "in_host.py"
BLKIO = pathlib.Path("/sys/fs/cgroup/blkio")
NETWORK = "10.213.77"  # of the namespaces alone; nothing leads out of them


def ip(*arguments, check=True):
    return subprocess.run(["ip", *map(str, arguments)], check=check, capture_output=True, text=True)


def why_not():
    """Why there can be no such hosts here, or None."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    name = f"stash-try-{os.getpid()}"
    try:
        made = ip("netns", "add", name, check=False)
    except FileNotFoundError:
        return "there is no `ip` (Debian: iproute2)"
    ip("netns", "delete", name, check=False)
    return None if made.returncode == 0 else f"network namespaces are not allowed: {made.stderr.strip()}"


def require_hosts():
    """Leaves the test where there can be none."""
    reason = why_not()
    if reason:
        print(reason)
        sys.exit(program.SKIPPED)


class Hosts:
    """`count` hosts, named a, b, c, ..."""

    def __init__(self, count, rate=None):
        self.tag = f"stash-{os.getpid()}"
        self.names = [chr(ord("a") + index) for index in range(count)]
        self.made = []
        self.joined = {}  # host: file of the processes of a control group
        self.add_namespace("switch")
        ip("-n", self.namespace("switch"), "link", "add", "br0", "type", "bridge")
        ip("-n", self.namespace("switch"), "link", "set", "br0", "up")
        for index in range(count):
            self.add_host(index)
        if rate:
            for name in self.names:
                self.shape(name, rate)
        self.file = pathlib.Path(tempfile.gettempdir()) / f"{self.tag}-hosts"  # who is called what
        self.file.write_text("127.0.0.1 localhost\n" + "".join(f"{self.address(name)} {name}\n" for name in self.names))

    def namespace(self, name):
        return f"{self.tag}-{name}"

    def add_namespace(self, name):
        ip("netns", "add", self.namespace(name))
        self.made.append(name)
        ip("-n", self.namespace(name), "link", "set", "lo", "up")

    def add_host(self, index):
        name = self.names[index]
        own, switch = self.namespace(name), self.namespace("switch")
        self.add_namespace(name)
        ip("-n", own, "link", "add", "eth0", "type", "veth", "peer", "name", f"port-{name}", "netns", switch)
        ip("-n", switch, "link", "set", f"port-{name}", "master", "br0", "up")
        ip("-n", own, "address", "add", f"{self.address(name)}/24", "dev", "eth0")
        ip("-n", own, "link", "set", "eth0", "up")

    def address(self, name):
        return f"{NETWORK}.{self.names.index(name) + 1}"

    def shape(self, name, rate):
        """Both directions of a host's link; `rate` as tc writes it, 1gbit."""
        for namespace, device in ((self.namespace(name), "eth0"), (self.namespace("switch"), f"port-{name}")):
            subprocess.run(["tc", "-n", namespace, "qdisc", "replace", "dev", device, "root", "tbf", "rate", rate, "burst",
                            "256kb", "latency", "100ms"], check=True)

    def slow_down_disk(self, name, path, bytes_per_s):
        """What the host's processes read from the disk of `path`; from now on."""
        device = os.stat(path).st_dev
        group = BLKIO / f"{self.tag}-{name}"
        group.mkdir()
        (group / "blkio.throttle.read_bps_device").write_text(f"{os.major(device)}:{os.minor(device)} {bytes_per_s}")
        self.joined[name] = group / "cgroup.procs"

    def cut_off(self, name):
        ip("-n", self.namespace("switch"), "link", "set", f"port-{name}", "down")

    def bring_back(self, name):
        ip("-n", self.namespace("switch"), "link", "set", f"port-{name}", "up")

    def on(self, name, *command):
        """The command that runs on a host."""
        return [sys.executable, str(IN_HOST), f"/run/netns/{self.namespace(name)}", str(self.file), name,
                str(self.joined.get(name, "-")), *map(str, command)]

    def close(self):
        self.file.unlink(missing_ok=True)
        for file in self.joined.values():
            with contextlib.suppress(OSError):
                file.parent.rmdir()
        for name in reversed(self.made):
            ip("netns", "delete", self.namespace(name), check=False)
