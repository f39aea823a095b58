"""A program of torch.export as rows for the C++ library, which carries them out without Python."""

import operator

ARITHMETIC = {operator.getitem: "getitem", operator.add: "add", operator.sub: "sub", operator.mul: "mul",
              operator.floordiv: "floordiv", operator.mod: "mod", operator.neg: "neg"}


class NeedsPython(Exception):
    """The program has something that only Python can carry out; the message names it."""


def datatypes(torch):
    return {torch.float32: "FP32", torch.float16: "FP16", torch.bfloat16: "BF16", torch.float64: "FP64",
            torch.int64: "INT64", torch.int32: "INT32", torch.int16: "INT16", torch.int8: "INT8",
            torch.uint8: "UINT8", torch.bool: "BOOL"}


def signature(torch, program, unusable):
    """Inputs as (name, datatype, shape of a sample), names of the outputs, and the only batch or 0."""
    values = {node.name: node.meta.get("val") for node in program.graph.nodes if node.op == "placeholder"}
    rows, batches = [], set()
    for name in program.graph_signature.user_inputs:
        value = values.get(name)
        if not isinstance(value, torch.Tensor):
            raise unusable(f"input '{name}' of the program is no tensor: export a model that takes tensors only")
        if value.dim() == 0 or any(not isinstance(size, int) for size in value.shape[1:]):
            raise unusable(f"input '{name}' has the shape {list(value.shape)}: only its first dimension, that of the "
                           "batch, may be dynamic")
        rows.append((name, datatypes(torch).get(value.dtype, str(value.dtype)), [int(size) for size in value.shape[1:]]))
        batches.add(value.shape[0] if isinstance(value.shape[0], int) else 0)
    if len(batches) != 1:
        raise unusable("the first dimension of all inputs is the batch, and must be dynamic in all or in none")
    outputs = [str(name) for name in program.graph_signature.user_outputs if name is not None]
    return rows, (["output"] if len(outputs) == 1 else outputs), batches.pop()


def flat_call(torch, model):
    def call(*tensors):
        given = model(*tensors)
        if isinstance(given, dict):
            given = list(given.values())
        given = given if isinstance(given, (list, tuple)) else [given]
        return [one.detach().contiguous() for one in given]
    return call


def held_tensors(program):
    """Parameters, buffers and constants by the name of their placeholder."""
    held = {}
    for spec in program.graph_signature.input_specs:
        if spec.kind.name == "USER_INPUT":
            continue
        name = getattr(spec.arg, "name", None)
        value = program.state_dict.get(spec.target, program.constants.get(spec.target))
        if value is None:
            raise NeedsPython(f"a constant of the kind {spec.kind.name}")
        held[name] = value.detach()
    return held


def program_rows(torch, program):
    """Nodes as (operator, overload, arguments) in order, and the arguments that are the outputs."""
    program = program.run_decompositions({})  # nothing is changed in place afterwards
    kinds = {spec.kind.name for spec in program.graph_signature.output_specs}
    if kinds != {"USER_OUTPUT"}:
        raise NeedsPython("it changes what it holds")
    held = held_tensors(program)
    users = list(program.graph_signature.user_inputs)
    outputs = next(node for node in program.graph.nodes if node.op == "output").args[0]
    needed = reached(outputs)
    places = {}
    for node in program.graph.nodes:
        if node.op == "placeholder" and node.name in users:
            places[node] = users.index(node.name)
    rows = []

    def encode(value):
        if isinstance(value, torch.fx.Node):
            return ("value", held[value.name]) if value.name in held else ("node", places[value])
        if isinstance(value, (list, tuple)) and any(isinstance(one, torch.fx.Node) for one in value):
            return ("list", [encode(one) for one in value])
        return ("value", list(value) if isinstance(value, tuple) else value)

    for node in program.graph.nodes:
        if node.op == "get_attr" and node in needed:
            raise NeedsPython(f"the attribute {node.target}")
        if node.op != "call_function" or node not in needed:
            continue
        rows.append(row_of(torch, node, encode))
        places[node] = len(users) + len(rows) - 1
    return rows, [encode(output) for output in outputs]


def reached(outputs):
    """What the outputs need."""
    seen, left = set(), [output for output in outputs if hasattr(output, "all_input_nodes")]
    while left:
        node = left.pop()
        if node not in seen:
            seen.add(node)
            left.extend(node.all_input_nodes)
    return seen


def row_of(torch, node, encode):
    if node.target in ARITHMETIC:
        return (ARITHMETIC[node.target], "", [encode(one) for one in node.args])
    if not isinstance(node.target, torch._ops.OpOverload):
        raise NeedsPython(str(node.target))
    schema = node.target._schema
    given = []
    for place, argument in enumerate(schema.arguments):
        if place < len(node.args) and not argument.kwarg_only:
            given.append(encode(node.args[place]))
        elif argument.name in node.kwargs:
            given.append(encode(node.kwargs[argument.name]))
        elif argument.has_default_value():
            given.append(encode(argument.default_value))
        else:
            raise NeedsPython(f"{schema.name} without {argument.name}")
    return (schema.name, schema.overload_name, given)
