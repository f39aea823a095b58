"""Slurm on hosts of hosts.py: its daemons need no systemd."""

import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile
import time

NEEDED = ("slurmctld", "slurmd", "srun", "sbatch", "munged")


def why_not():
    missing = [name for name in NEEDED if shutil.which(name) is None]
    return f"there is no {', '.join(missing)}" if missing else None


class Slurm:
    def __init__(self, hosts, tasks=2):
        self.hosts, self.processes = hosts, []
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="stash-slurm-"))
        self.folder.chmod(0o755)  # munge's daemon is another user
        self.start_munge()
        nodes = "".join(f"NodeName={name} NodeHostname={name} NodeAddr={hosts.address(name)} Port=17001 CPUs={tasks} "
                        "State=UNKNOWN\n" for name in hosts.names)
        self.file = self.folder / "slurm.conf"
        self.file.write_text(
            f"ClusterName=test\nSlurmctldHost=a({hosts.address('a')})\nSlurmUser=root\nSlurmdUser=root\n"
            f"AuthType=auth/munge\nAuthInfo=socket={self.socket}\nCryptoType=crypto/munge\n"
            f"StateSaveLocation={self.folder}/state\nSlurmdSpoolDir={self.folder}/spool-%n\n"
            f"SlurmctldPidFile={self.folder}/ctld.pid\nSlurmdPidFile={self.folder}/d-%n.pid\n"
            f"SlurmctldLogFile={self.folder}/ctld.log\nSlurmdLogFile={self.folder}/d-%n.log\n"
            "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSelectType=select/cons_tres\nMpiDefault=none\n"
            "ReturnToService=2\nSlurmctldPort=17000\nSchedulerType=sched/builtin\n"
            f"{nodes}PartitionName=all Nodes={','.join(hosts.names)} Default=YES MaxTime=INFINITE State=UP\n")
        self.environment = {**os.environ, "SLURM_CONF": str(self.file)}
        self.start(*hosts.on("a", "slurmctld", "-D", "-c"))
        for name in hosts.names:
            self.start(*hosts.on(name, "slurmd", "-D", "-N", name))
        self.wait()

    def start(self, *command, **options):
        log = open(self.folder / f"{pathlib.Path(command[-1]).name}-{len(self.processes)}.out", "w", encoding="utf-8")
        self.processes.append(subprocess.Popen([str(word) for word in command], stdout=log, stderr=log,
                                               env=getattr(self, "environment", os.environ), **options))

    def start_munge(self):
        user = pwd.getpwnam("munge")
        own = self.folder / "munge"
        own.mkdir(mode=0o755)
        key = own / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        for path in (own, key):
            os.chown(path, user.pw_uid, user.pw_gid)
        self.socket = own / "socket"
        self.start("munged", "-F", f"--socket={self.socket}", f"--key-file={key}", f"--pid-file={own}/pid",
                   f"--log-file={own}/log", f"--seed-file={own}/seed", user=user.pw_uid, group=user.pw_gid)
        deadline = time.monotonic() + 10
        while not self.socket.exists() and time.monotonic() < deadline:
            time.sleep(0.05)

    def wait(self):
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            shown = subprocess.run(self.hosts.on("a", "sinfo", "-h", "-N", "-o", "%T"), env=self.environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout.split()
            if shown == ["idle"] * len(self.hosts.names):
                return
            time.sleep(0.2)
        raise AssertionError("Slurm did not come up: " + (self.folder / "ctld.log").read_text()[-2000:])

    def close(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in reversed(self.processes):
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
