"""Starts one rank: torch makes the process groups, the C++ library does the rest."""

import datetime
import json
import os
import platform
import sys


def machine_facts(torch):
    """What only the interpreter knows about the machine."""
    versions = {"torch": torch.__version__, "python": platform.python_version()}
    gpus = []
    if torch.cuda.is_available():
        versions["cuda"] = torch.version.cuda or torch.version.hip
        if torch.distributed.is_nccl_available():
            versions["nccl"] = ".".join(map(str, torch.cuda.nccl.version()))
        for index in range(torch.cuda.device_count()):
            properties = torch.cuda.get_device_properties(index)
            gpus.append({"name": properties.name, "memory_bytes": properties.total_memory})
    return {"versions": versions, "gpus": gpus}


def main():
    with open(os.environ["STASH_JOB_FILE"], encoding="utf-8") as file:
        text = file.read()
    job = json.loads(text)
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    local_rank = int(os.environ["LOCAL_RANK"])

    import torch
    import torch.distributed as dist

    import _stash

    timeout = datetime.timedelta(seconds=float(os.environ["STASH_TIMEOUT_S"]))
    if job["device"] == "cuda":
        torch.cuda.set_device(local_rank % max(torch.cuda.device_count(), 1))
    dist.init_process_group(
        job["backend"], store=dist.FileStore(os.environ["STASH_STORE_FILE"], size), rank=rank, world_size=size, timeout=timeout
    )
    control = dist.new_group(backend="gloo", timeout=timeout)
    code = _stash.run_rank(
        dist.group.WORLD, control, text, json.dumps(machine_facts(torch)), local_rank,
        int(os.environ["STASH_STARTED_NS"]),
    )
    sys.stdout.flush()
    # Interpreter and backend teardown can wait for ranks that are gone.
    os._exit(code)


if __name__ == "__main__":
    main()
