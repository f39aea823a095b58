"""Other loaders of a trace: Python's json with a loop over the events, and HolisticTraceAnalysis where it is there."""

import json
import os
import resource
import sys
import time


def with_json(path):
    with open(path) as file:
        events = json.load(file)["traceEvents"]
    return sum(event.get("dur", 0) for event in events if event.get("cat") == "kernel"), len(events)


def with_hta(path):
    import logging
    logging.disable(logging.CRITICAL)
    from hta.common.trace_parser import parse_trace_dataframe
    from hta.configs.parser_config import ParserConfig
    _, frame, _ = parse_trace_dataframe(path, ParserConfig.get_default_cfg())
    return 0, len(frame)


def measure(name, load, path):
    """In a process of its own, for its memory."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        start, cpu = time.perf_counter(), time.process_time()
        try:
            _, events = load(path)
        except ImportError as error:
            print(f"{name}: not there ({error})")
            os._exit(0)
        seconds, used = time.perf_counter() - start, time.process_time() - cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        size = os.path.getsize(path)
        print(f"{name}: CPU {used:.2f} s (wall {seconds:.2f} s), {size / used * 1e-9:.3f} GB/s, "
              f"{events / used * 1e-6:.2f} million events a second, peak memory {peak / size:.2f} of the file")
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(child, 0)


if __name__ == "__main__":
    measure("Python's json", with_json, sys.argv[1])
    measure("HTA's parser", with_hta, sys.argv[1])
