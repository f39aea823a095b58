"""A client for models with any tensors, and waiting for what must come."""

import json
import time

import torch

TYPES = {"FP32": torch.float32, "INT64": torch.int64}
LIMIT_S = 120


def binary_request(**tensors):
    """Tensors as bytes behind the JSON: body and headers."""
    inputs, data = [], b""
    for name, tensor in tensors.items():
        own = tensor.contiguous().numpy().tobytes()
        kind = next(key for key, value in TYPES.items() if value == tensor.dtype)
        inputs.append({"name": name, "datatype": kind, "shape": list(tensor.shape),
                       "parameters": {"binary_data_size": len(own)}})
        data += own
    head = json.dumps({"inputs": inputs, "parameters": {"binary_data_output": True}}).encode()
    return head + data, {"Inference-Header-Content-Length": str(len(head))}


def infer(server, model, connection=None, **tensors):
    """The outputs by name, of a request whose tensors are bytes."""
    client = connection or server.connect()
    body, headers = binary_request(**tensors)
    client.request("POST", f"/v2/models/{model}/infer", body, headers)
    answer = client.getresponse()
    content = answer.read()
    if not connection:
        client.close()
    if answer.status != 200:
        raise AssertionError(f"{answer.status}: {content[:500]}")
    size = int(answer.headers["Inference-Header-Content-Length"])
    found, at = {}, size
    for output in json.loads(content[:size])["outputs"]:
        count = output["parameters"]["binary_data_size"]
        found[output["name"]] = torch.frombuffer(bytearray(content[at:at + count]), dtype=TYPES[output["datatype"]]
                                                 ).reshape(output["shape"])
        at += count
    return found


def numbers(value, name="x"):
    return json.dumps({"inputs": [{"name": name, "datatype": "FP32", "shape": [1, 1], "data": [value]}]})


def until(condition, what):
    """Conditions are events, not times: this one comes, or the test fails after a long while."""
    end = time.monotonic() + LIMIT_S
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"never came: {what}")
        time.sleep(0.02)
