"""A rank's place in the pool of its machine. Nothing here waits for the pool but joining, and whatever becomes of the
pool, the script continues with the workers that it has."""

import json
import os
import socket
import struct
import time

from stash import shared_names

JOIN_S = 1          # at most, at a job's start
LOOK_AGAIN_S = 2    # for a new pool
MOST_BYTES = 65536  # of an answer


def line(name, keys, values):
    return (json.dumps({"message": name, **dict(zip(keys, values, strict=True))}) + "\n").encode()


def is_own(connection):
    """Whether the other end is this user's."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return struct.unpack("3i", credentials)[1] == os.geteuid()


class Member:
    """`loaded`: what was loaded since the start, as (samples, batches, waited_s, busy_s, cpu_s). `workers` is what the
    pool said last; None: it never said anything."""

    def __init__(self, seat, own_workers, loaded, clock=time.monotonic):
        self.seat = seat
        self.own_workers = own_workers
        self.loaded = loaded
        self.clock = clock
        self.connection = None
        self.received = b""
        self.workers = None
        self.most = None
        self.report_s = 1.0
        self.refused = False
        self.began_s = self.looked_s = clock()
        self.before = loaded()
        if self.connect():
            self.wait_for_share()

    def connect(self):
        """Connects and asks for workers; the answer comes later."""
        self.looked_s = self.clock()
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        try:
            connection.setblocking(False)
            connection.connect(self.seat["socket"])
            if not is_own(connection):
                raise OSError("the pool is another user's")
        except OSError:
            connection.close()
            return False
        self.connection = connection
        self.received = b""
        return self.send(line(shared_names.JOIN_MESSAGE, shared_names.JOIN_KEYS, (
            shared_names.POOL_PROTOCOL, self.seat["name"], self.seat["job"], int(os.environ.get("RANK", 0)),
            max(int(os.environ.get("LOCAL_WORLD_SIZE", 1)), 1), os.getpid(), self.own_workers,
            self.seat["min_workers"], self.seat["max_workers"])))

    def wait_for_share(self):
        end = self.clock() + JOIN_S
        while self.connection is not None and self.workers is None and self.clock() < end:
            self.take_messages()
            time.sleep(0.001)
        if self.workers is None:
            self.close()

    def send(self, data):
        try:
            if self.connection.send(data, socket.MSG_NOSIGNAL) == len(data):
                return True
        except OSError:
            pass
        self.close()
        return False

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None

    def take_messages(self):
        while self.connection is not None:
            try:
                piece = self.connection.recv(MOST_BYTES)
            except BlockingIOError:
                break
            except OSError:
                piece = b""
            self.received += piece
            if not piece or len(self.received) > MOST_BYTES:
                self.close()
        *lines, self.received = self.received.split(b"\n")
        for one in lines:
            self.take(one)

    def take(self, text):
        try:
            message = json.loads(text)
            if message["message"] == shared_names.SHARE_MESSAGE:
                workers, self.most, self.report_s = (message[key] for key in shared_names.SHARE_KEYS)
                self.workers = max(int(workers), 1)
                self.begin_window()
                return
        except (ValueError, KeyError, TypeError):
            pass
        self.refused = True
        self.close()

    def begin_window(self):
        self.began_s = self.clock()
        self.before = self.loaded()

    def poll(self):
        """With each batch: takes what the pool has decided, and reports when it is time."""
        if self.connection is None:
            if self.refused or self.clock() - self.looked_s < LOOK_AGAIN_S or not self.connect():
                return
        self.take_messages()
        elapsed = self.clock() - self.began_s
        if self.connection is None or self.workers is None or elapsed < self.report_s:
            return
        now = self.loaded()
        samples, batches, waited, busy, _ = (after - before for after, before in zip(now, self.before, strict=True))
        self.send(line(shared_names.REPORT_MESSAGE, shared_names.REPORT_KEYS,
                       (self.workers, elapsed, samples, batches, min(waited, elapsed), busy, now[-1], self.samples_left(now[0]))))
        self.began_s += elapsed
        self.before = now

    def samples_left(self, loaded):
        """Of the job, where it was said how many it has; its ranks load equally many."""
        if self.seat.get("samples") is None:
            return None
        return max(self.seat["samples"] - loaded * max(int(os.environ.get("WORLD_SIZE", 1)), 1), 0)

    def leave(self):
        if self.connection is not None:
            self.send(line(shared_names.LEAVE_MESSAGE, (), ()))
        self.close()
