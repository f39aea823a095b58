"""Starts one rank: torch makes the process groups, the C++ library does the rest."""

import datetime
import json
import os
import sys

from stash.machine import machine_facts


class JobError(Exception):
    """What was asked for cannot be; the message is for the one who asked."""


def check_backend(dist, name):
    known = [other for other in dist.Backend.backend_list
             if other not in ("undefined", "fake") and dist.is_backend_available(other)]
    if name not in known:
        raise JobError(f"--backend {name}: this torch has {', '.join(known)}")


def measure():
    with open(os.environ["STASH_JOB_FILE"], encoding="utf-8") as file:
        text = file.read()
    job = json.loads(text)
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    local_rank = int(os.environ["LOCAL_RANK"])

    import torch
    import torch.distributed as dist

    import _stash

    check_backend(dist, job["backend"])
    timeout = datetime.timedelta(seconds=float(os.environ["STASH_TIMEOUT_S"]))
    if job["device"] == "cuda" and torch.cuda.is_available():  # without one the library says what is missing
        torch.cuda.set_device(local_rank % torch.cuda.device_count())
    dist.init_process_group(
        job["backend"], store=dist.FileStore(os.environ["STASH_STORE_FILE"], size), rank=rank, world_size=size, timeout=timeout
    )
    control = dist.new_group(backend="gloo", timeout=timeout)
    return _stash.run_rank(
        dist.group.WORLD, control, text, json.dumps(machine_facts(torch)), local_rank,
        int(os.environ["STASH_STARTED_NS"]),
    )


def report_failure(kind, message):
    """Tells the supervisor why this rank cannot go on, in the words of an event of the library."""
    if "STASH_EVENT_FD" in os.environ:
        line = json.dumps({"event": "error", "kind": kind, "message": message}) + "\n"
        os.write(int(os.environ["STASH_EVENT_FD"]), line.encode())


def main():
    try:
        code = measure()
    except JobError as error:
        report_failure("usage", str(error))
        code = 2
    except Exception as error:
        report_failure("environment", f"{type(error).__name__}: {error}")
        code = 1
    sys.stdout.flush()
    # Interpreter and backend teardown can wait for ranks that are gone.
    os._exit(code)


if __name__ == "__main__":
    main()
