"""Runs a command as on a host of its own: in_host.py NETWORK_NAMESPACE HOSTS_FILE HOSTNAME JOINED COMMAND...

JOINED is a control group's file of processes, or -."""

import ctypes
import os
import sys

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWNET = 0x40000000
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000


def check(result, what):
    if result != 0:
        number = ctypes.get_errno()
        raise SystemExit(f"{what}: {os.strerror(number)}")


def main():
    namespace, hosts, name = sys.argv[1], sys.argv[2].encode(), sys.argv[3].encode()
    joined, command = sys.argv[4], sys.argv[5:]
    if joined != "-":
        with open(joined, "w", encoding="ascii") as file:
            file.write(str(os.getpid()))
    libc = ctypes.CDLL(None, use_errno=True)
    fd = os.open(namespace, os.O_RDONLY)
    check(libc.setns(fd, CLONE_NEWNET), f"cannot enter {namespace}")
    os.close(fd)
    check(libc.unshare(CLONE_NEWUTS | CLONE_NEWNS), "cannot have a host name")
    check(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None), "cannot have mounts of its own")
    check(libc.mount(hosts, b"/etc/hosts", None, MS_BIND, None), f"cannot use {hosts.decode()}")
    check(libc.sethostname(name, len(name)), "cannot set the host name")
    os.execvp(command[0], command)


main()
