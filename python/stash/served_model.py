"""What a worker can serve: built-in networks, packages of torch.export and AOTInductor, and Python modules."""

import importlib
import importlib.util
import json
import os
import re
import sys
import zipfile

from stash import exported_program

PREFIX = "py:"
EXAMPLE = 'inputs = [{"name": "x", "datatype": "FP32", "shape": [-1, 3, 224, 224]}]'


class Unusable(Exception):
    """What was asked for cannot be served; the message says what to change."""


def load(torch, library, order, device):
    spec = order["spec"]
    if spec.startswith(PREFIX):
        return load_module(torch, library, spec[len(PREFIX):], device)
    if spec.endswith(".pt2"):
        return load_package(torch, library, spec, device)
    return library.ServedModel.network(spec, order["dtype"], device, order["seed"])


def on_device(device):
    return "" if device == "cpu" else f" for {device}"


def tensor_rows(declared, where):
    """(name, datatype, shape of a sample) of each, and the batch if there is one only."""
    rows, batches = [], set()
    for place, one in enumerate(declared):
        if not isinstance(one, dict) or not isinstance(one.get("shape"), (list, tuple)) or not one["shape"]:
            raise Unusable(f"{where}: a tensor is described like this: {EXAMPLE}")
        batches.add(one["shape"][0])
        rows.append((str(one.get("name", f"input_{place}")), str(one.get("datatype", "FP32")),
                     [int(size) for size in one["shape"][1:]]))
        if any(size < 0 for size in rows[-1][2]):
            raise Unusable(f"{where}: only the first dimension, that of the batch, may be -1: {one}")
    if len(batches) != 1:
        raise Unusable(f"{where}: the first dimension of all inputs is the batch, and must be the same: {declared}")
    batch = batches.pop()
    return rows, max(0, int(batch))


def load_module(torch, library, spec, device):
    file, _, function = spec.rpartition(":")
    if not file:
        file, function = spec, "load"
    if not os.path.isfile(file):
        raise Unusable(f"there is no file {file}; a Python module is given as py:my_model.py:load")
    described = importlib.util.spec_from_file_location(os.path.basename(file).removesuffix(".py"), file)
    sys.path.insert(0, os.path.dirname(os.path.abspath(file)))  # what lies beside it can be imported
    module = importlib.util.module_from_spec(described)
    described.loader.exec_module(module)
    if not callable(getattr(module, function, None)):
        raise Unusable(f"{file} has no function {function}(); it is given as py:{file}:FUNCTION")
    model = getattr(module, function)()
    if not callable(model):
        raise Unusable(f"{function}() of {file} must return something that can be called with tensors, and returned "
                       f"a {type(model).__name__}")
    if isinstance(model, torch.nn.Module):
        model = model.to(device).eval()
    declared = getattr(model, "inputs", None) or getattr(module, "inputs", None)
    if not isinstance(declared, (list, tuple)) or not declared:
        raise Unusable(f"{file} must say what its model takes, like this: {EXAMPLE}")
    rows, batch = tensor_rows(declared, file)
    names = [str(name) for name in getattr(model, "outputs", None) or getattr(module, "outputs", None) or []]

    def call(*tensors):
        given = model(*tensors)
        if isinstance(given, dict):
            given = [given[name] for name in names] if names else list(given.values())
        given = given if isinstance(given, (list, tuple)) else [given]
        return [torch.as_tensor(one, device=device).detach().contiguous() for one in given]

    if not names:
        with torch.no_grad():
            probe = model(*example_inputs(torch, rows, batch or 1, device))
        names = [str(name) for name in probe] if isinstance(probe, dict) else []
    return library.ServedModel.callable(call, f"{function}() of {os.path.basename(file)}", rows, names, batch)


def example_inputs(torch, rows, batch, device):
    types = {"FP32": torch.float32, "FP16": torch.float16, "BF16": torch.bfloat16, "FP64": torch.float64,
             "INT64": torch.int64, "INT32": torch.int32, "INT16": torch.int16, "INT8": torch.int8,
             "UINT8": torch.uint8, "BOOL": torch.bool}
    for name, datatype, _ in rows:
        if datatype not in types:
            raise Unusable(f"input '{name}' has the type {datatype}; it may be {', '.join(types)}")
    return [torch.zeros(batch, *shape, dtype=types[datatype], device=device) for _, datatype, shape in rows]


def load_package(torch, library, file, device):
    if not os.path.isfile(file):
        raise Unusable(f"there is no file {file}")
    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
    except zipfile.BadZipFile as error:
        raise Unusable(f"{file} is no package of torch.export or AOTInductor ({error}): write it with "
                       "torch.export.save or torch._inductor.aoti_compile_and_package") from error
    base = os.path.basename(file)
    if any(name.endswith((".so", ".wrapper.cpp")) for name in names):
        rows, batch = package_inputs(file, names)
        return library.ServedModel.package(file, device, f"AOTInductor's {base}", rows, [], batch)
    program = torch.export.load(file)
    if device != "cpu":
        program = importlib.import_module("torch.export.passes").move_to_device_pass(program, device)
    rows, outputs, batch = exported_program.signature(torch, program, Unusable)
    try:
        nodes, results = exported_program.program_rows(torch, program)
    except exported_program.NeedsPython as reason:
        model = program.module()
        call = exported_program.flat_call(torch, model)
        return library.ServedModel.callable(call, f"{base}, through Python ({reason})", rows, outputs, batch)
    return library.ServedModel.program(base, rows, outputs, batch, nodes, results)


def package_inputs(file, archive_names):
    """What compiled code takes, from a file beside it, else from the checks in its source."""
    beside = f"{file}.json"
    if not os.path.isfile(beside):
        return inputs_of_source(file, archive_names)
    try:
        with open(beside) as text:
            declared = json.load(text)["inputs"]
    except (ValueError, KeyError, TypeError) as error:
        raise Unusable(f'{beside} must be {{"inputs": [{{"name", "datatype", "shape"}}]}}: {error!r}') from error
    return tensor_rows(declared, beside)


AOT_TYPES = {"Float": "FP32", "Half": "FP16", "BFloat16": "BF16", "Double": "FP64", "Long": "INT64", "Int": "INT32",
             "Short": "INT16", "Char": "INT8", "Byte": "UINT8", "Bool": "BOOL"}


def inputs_of_source(file, archive_names):
    wrapper = next((name for name in archive_names if name.endswith(".wrapper.cpp")), None)
    declared = []
    if wrapper:
        with zipfile.ZipFile(file) as archive:
            source = archive.read(wrapper).decode(errors="replace")
        for place, check in enumerate(re.split(r"static void check_input_\d+\(", source)[1:]):
            name = re.search(rf'inputs_info_\[{place}\]\.name = "(\w+)"', source)
            kind = re.search(r"\(at::k(\w+)\)", check)
            static = {int(at): int(size) for size, at in re.findall(r"if \((\d+) != \w+_size\[(\d+)\]\)", check)}
            sizes = 1 + max([int(at) for at in re.findall(r"_(?:size|stride)\[(\d+)\]", check)], default=-1)
            if name and kind and kind[1] in AOT_TYPES and sizes > 0:
                declared.append({"name": name[1], "datatype": AOT_TYPES[kind[1]],
                                 "shape": [static.get(at, -1) for at in range(sizes)]})
    if not declared or any(size < 0 for one in declared for size in one["shape"][1:]):
        raise Unusable(f"{file} is compiled by AOTInductor and does not say what it takes: write {file}.json, like "
                       '{"inputs": [{"name": "x", "datatype": "FP32", "shape": [-1, 3, 224, 224]}]}; -1 is the batch')
    return tensor_rows(declared, file)
