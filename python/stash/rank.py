"""A rank of a built-in job: torch makes the process groups, the C++ library does the rest."""

import datetime
import os
import sys

from stash import shared_names
from stash.machine import accelerator_id, machine_facts
from stash.messages import error_line

CONNECT_S = 3         # before it is tried again
ARRIVAL_DEADLINES = 10  # a host may have to build the library first


class Failed(Exception):
    """The message is for the one who asked; the kind says whether the job or the environment is at fault."""

    def __init__(self, message, kind="environment"):
        super().__init__(message)
        self.kind = kind


def check_backend(dist, name):
    known = [other for other in dist.Backend.backend_list
             if other not in ("undefined", "fake") and dist.is_backend_available(other)]
    if name not in known:
        raise Failed(f"--backend {name}: this torch has {', '.join(known)}", "usage")


def connected_store(dist, rank):
    """On a port of rank 0's host, or the launcher's."""
    order = rank.order
    host, port = order.meeting.address, order.meeting.port
    serves = rank.number == 0 and not order.meeting.is_served
    for _ in range(int(ARRIVAL_DEADLINES * order.timeout_s / CONNECT_S) + 1):
        rank.beat()
        try:
            return dist.TCPStore(host, port, None, serves, datetime.timedelta(seconds=CONNECT_S), False)
        except (RuntimeError, ValueError) as error:
            if "EADDRINUSE" in str(error) or "in use" in str(error):
                raise Failed(f"port {port} is in use on this host: set MASTER_PORT to another, on all ranks") from error
            last = error
    raise Failed(f"rank 0 cannot be reached at {host}:{port} ({last}): check that it runs, and firewalls")


class Meetings:
    """Where all ranks meet: a file where they are of one crew, else a store that this rank stays connected to."""

    def __init__(self, dist):
        self.dist = dist
        self.connected = None

    def store(self, rank):
        order = rank.order
        if order.store_file is not None:
            return self.dist.FileStore(order.store_file, order.team_size)
        self.connected = self.connected or connected_store(self.dist, rank)
        self.connected.set_timeout(datetime.timedelta(seconds=order.timeout_s))
        return self.dist.PrefixStore(f"stash-{order.meeting.attempt}", self.connected)


def node_group(dist, nodes, rank, timeout):
    """Of the ranks of this node, where some node has several and there are several nodes."""
    if len(nodes) == 1 or max(map(len, nodes)) == 1:
        return None
    groups = [dist.new_group(ranks, timeout=timeout) for ranks in nodes]
    return next(group for group, ranks in zip(groups, nodes) if rank in ranks)


def carry_out(torch, dist, library, rank, meetings):
    """Carries the rank's order out; the exit code."""
    order = rank.order
    versions, gpus = machine_facts(torch)
    check_backend(dist, order.job.backend)
    on_gpu = order.on_gpus and torch.cuda.is_available()  # without one the library says what is missing
    if on_gpu:
        torch.cuda.set_device(rank.local_rank % torch.cuda.device_count())
    timeout = datetime.timedelta(seconds=order.timeout_s)
    store = meetings.store(rank)
    try:
        nodes = rank.meet(store, torch.__version__)
    except library.Error as error:
        raise Failed(str(error), "usage" if isinstance(error, library.UsageError) else "environment") from error
    dist.init_process_group(order.job.backend, store=store, rank=rank.number, world_size=order.team_size,
                            timeout=timeout)
    control = dist.new_group(backend="gloo", timeout=timeout)
    node = node_group(dist, nodes, rank.number, timeout)
    return rank.carry_out(dist.group.WORLD, control, node, versions, gpus, accelerator_id(torch) if on_gpu else "")


def work():
    import torch
    import torch.distributed as dist

    import _stash

    rank = _stash.BuiltinRank(os.environ[shared_names.ORDER_VARIABLE],
                              int(os.environ[shared_names.CREW_INDEX_VARIABLE]))
    meetings = Meetings(dist)
    while True:
        code = carry_out(torch, dist, _stash, rank, meetings)
        if code != 0 or not rank.order.stay:
            return code
        dist.destroy_process_group()
        if torch.cuda.is_initialized():
            torch.cuda.empty_cache()
        rank.wait_for_order()


def report_failure(kind, message):
    """Tells the supervisor why this rank cannot go on."""
    if shared_names.EVENT_FD_VARIABLE in os.environ:
        os.write(int(os.environ[shared_names.EVENT_FD_VARIABLE]), error_line(kind, message).encode())


def main():
    try:
        code = work()
    except Failed as error:
        report_failure(error.kind, str(error))
        code = 2 if error.kind == "usage" else 1
    except Exception as error:
        report_failure("environment", f"{type(error).__name__}: {error}")
        code = 1
    sys.stdout.flush()
    # Interpreter and backend teardown can wait for ranks that are gone.
    os._exit(code)


if __name__ == "__main__":
    main()
