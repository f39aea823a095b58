"""Starts Python ranks that run the cases of a module together, and gathers what each case came to."""

import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback

TIMEOUT_S = 15  # of a collective: a rank that failed leaves the others waiting


def run_cases(module, ranks):
    """{case: [per rank: None or what went wrong]} of the cases that ran; after one that failed none does."""
    file = pathlib.Path(__file__).parent / module
    with tempfile.TemporaryDirectory() as folder:
        processes = [
            subprocess.Popen([sys.executable, str(file)], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env={**os.environ, "RANK": str(rank), "WORLD_SIZE": str(ranks), "OMP_NUM_THREADS": "1",
                                  "PYTHONFAULTHANDLER": "1", "PYTHONWARNINGS": "ignore",
                                  "GLOO_SOCKET_IFNAME": "lo", "STASH_STORE_FILE": f"{folder}/rendezvous"})
            for rank in range(ranks)]
        outcomes = [process.communicate(timeout=240) for process in processes]
    reports = []
    for process, (out, err) in zip(processes, outcomes):
        if process.returncode != 0:
            raise AssertionError(f"a rank ended with {process.returncode}:\n{out[-3000:]}\n{err[-3000:]}")
        reports.append(json.loads(out.splitlines()[-1]))
    return {case: [report.get(case, "did not run") for report in reports]
            for case in max(reports, key=len)}


def run_as_rank(cases):
    """What a rank's program calls: every case in order, on the group that it joins."""
    import torch.distributed as dist

    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    dist.init_process_group("gloo", store=dist.FileStore(os.environ["STASH_STORE_FILE"], size), rank=rank,
                            world_size=size, timeout=datetime.timedelta(seconds=TIMEOUT_S))
    outcomes = {}
    for case in cases:
        try:
            case(rank, size)
            dist.barrier()
            outcomes[case.__name__] = None
        except Exception:  # the ranks are out of step: what follows would fail for this reason alone
            outcomes[case.__name__] = traceback.format_exc()
            break
    print(json.dumps(outcomes), flush=True)
    os._exit(0)  # backends' teardown can wait for ranks that are gone
