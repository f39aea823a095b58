"""What the program tells the hooks of a script, and what is reported to it before the library is there."""

import json
import os
import types

from stash import shared_names


def read_script_order(folder):
    with open(os.path.join(folder, shared_names.SCRIPT_ORDER_FILE), encoding="utf-8") as file:
        order = json.load(file)
    if set(order) != set(shared_names.SCRIPT_ORDER_KEYS):
        raise ValueError(f"the program and its Python package are of different versions: {sorted(order)}")
    return types.SimpleNamespace(**order)


def error_line(kind, message):
    """The event by which a process says that it gives up."""
    if kind not in shared_names.FAULT_KINDS:
        raise ValueError(f"{kind} is none of {', '.join(shared_names.FAULT_KINDS)}")
    content = dict(zip(shared_names.ERROR_KEYS, (kind, message, []), strict=True))
    return json.dumps({"event": shared_names.ERROR_EVENT, **content}) + "\n"


def script_line(facts):
    """The event by which rank 0 says what the script is."""
    if set(facts) != set(shared_names.SCRIPT_KEYS):
        raise ValueError(f"{sorted(facts)} are not {sorted(shared_names.SCRIPT_KEYS)}")
    return json.dumps({"event": shared_names.SCRIPT_EVENT, "facts": facts}) + "\n"


def recorded_line(trace, batch, sample_bytes, parameters):
    """The event by which rank 0 says where its profiler's trace is."""
    content = dict(zip(shared_names.RECORDED_KEYS, (trace, batch, sample_bytes, parameters), strict=True))
    return json.dumps({"event": shared_names.RECORDED_EVENT, **content}) + "\n"
