"""A rank: torch makes the process groups, the C++ library does the rest."""

import datetime
import json
import os
import sys

from stash.machine import machine_facts

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


def meeting_store(dist, file, rank, size, deadline_s, beat):
    """Where all ranks meet: a file where they are of one machine, else a port of rank 0's host."""
    if file is not None:
        return dist.FileStore(file, size)
    host, port = os.environ["STASH_STORE_ADDRESS"], int(os.environ["STASH_STORE_PORT"])
    serves = rank == 0 and os.environ["STASH_STORE_IS_THERE"] == "0"
    for attempt in range(int(ARRIVAL_DEADLINES * deadline_s / CONNECT_S) + 1):
        beat()
        try:
            store = dist.TCPStore(host, port, None, serves, datetime.timedelta(seconds=CONNECT_S), False)
            store.set_timeout(datetime.timedelta(seconds=deadline_s))
            return dist.PrefixStore("stash-" + os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"), store)
        except (RuntimeError, ValueError) as error:
            if "EADDRINUSE" in str(error) or "in use" in str(error):
                raise Failed(f"port {port} is in use on this host: set MASTER_PORT to another, on all ranks") from error
            last = error
    raise Failed(f"rank 0 cannot be reached at {host}:{port} ({last}): check that it runs, and firewalls")


def node_group(dist, nodes, rank, timeout):
    """Of the ranks of this node, where some node has several and there are several nodes."""
    if len(nodes) == 1 or max(map(len, nodes)) == 1:
        return None
    groups = [dist.new_group(ranks, timeout=timeout) for ranks in nodes]
    return next(group for group, ranks in zip(groups, nodes) if rank in ranks)


def own_facts(torch, job):
    facts = dict(machine_facts(torch), interface=os.environ.get("GLOO_SOCKET_IFNAME", ""), device="")
    if job["device"] == "cuda" and torch.cuda.is_available():
        properties = torch.cuda.get_device_properties(torch.cuda.current_device())
        facts["device"] = str(getattr(properties, "uuid", torch.cuda.current_device()))
    return facts


def read_order():
    with open(os.environ["STASH_ORDER_FILE"], encoding="utf-8") as file:
        return json.load(file)


def measure(torch, dist, library, own, order):
    """Carries one order out; the exit code."""
    job = order["job"]
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    local_rank = int(os.environ["LOCAL_RANK"])
    check_backend(dist, job["backend"])
    if job["device"] == "cuda" and torch.cuda.is_available():  # without one the library says what is missing
        torch.cuda.set_device(local_rank % torch.cuda.device_count())
    timeout_s = float(os.environ["STASH_TIMEOUT_S"])
    timeout = datetime.timedelta(seconds=timeout_s)
    store = meeting_store(dist, order["store_file"], rank, size, timeout_s, own.beat)
    member = dict(order["members"][int(os.environ["STASH_TEAM_INDEX"])], torch=torch.__version__)
    try:
        nodes = own.meet(store, rank, size, json.dumps(member), timeout_s)
    except library.Error as error:
        raise Failed(str(error), "usage" if isinstance(error, library.UsageError) else "environment") from error
    dist.init_process_group(job["backend"], store=store, rank=rank, world_size=size, timeout=timeout)
    control = dist.new_group(backend="gloo", timeout=timeout)
    return own.measure(dist.group.WORLD, control, node_group(dist, nodes, rank, timeout), json.dumps(job),
                       json.dumps(own_facts(torch, job)), local_rank, order["started_ns"])


def work():
    order = read_order()

    import torch
    import torch.distributed as dist

    import _stash

    own = _stash.Rank()
    while True:
        code = measure(torch, dist, _stash, own, order)
        if code != 0 or "STASH_STAY" not in os.environ:
            return code
        dist.destroy_process_group()
        if torch.cuda.is_initialized():
            torch.cuda.empty_cache()
        own.wait_for_order()
        order = read_order()


def report_failure(kind, message):
    """Tells the supervisor why this rank cannot go on, in the words of an event of the library."""
    if "STASH_EVENT_FD" in os.environ:
        line = json.dumps({"event": "error", "kind": kind, "message": message}) + "\n"
        os.write(int(os.environ["STASH_EVENT_FD"]), line.encode())


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
