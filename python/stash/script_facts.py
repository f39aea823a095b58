"""What a script is, as far as its objects show it."""

import gc
import resource
import sys

from stash.precision import NAMES

# By what stands in a report: module and class. What is not imported has no objects.
WRAPPERS = {
    "DDP": ("torch.nn.parallel.distributed", "DistributedDataParallel"),
    "FSDP": ("torch.distributed.fsdp._fully_shard._fsdp_param_group", "FSDPParamGroup"),
    "FSDP1": ("torch.distributed.fsdp.fully_sharded_data_parallel", "FullyShardedDataParallel"),
    "compile": ("torch._dynamo.eval_frame", "OptimizedModule"),
}


def script_facts(torch, rank):
    """By the keys that the program reads."""
    parameters = rank.parameters()
    measures_input = rank.input is not None and rank.feed.function is not None
    return {"input": rank.order.input if measures_input else None,
            "parameters": sum(map(numbers_of, parameters)),
            "optimizers": sorted({type(optimizer).__name__ for optimizer in rank.optimizers}),
            "stored_as": sorted({dtype_name(parameter.dtype) for parameter in parameters}),
            "autocast": sorted(map(dtype_name, rank.precision.cast_to)),
            "wrappers": wrappers(),
            "peak_memory_bytes": peak_memory_bytes(torch)}


def numbers_of(parameter):
    """Of the whole parameter where ranks have shards."""
    whole = getattr(parameter, "_unpadded_unsharded_size", None)
    return (whole or parameter).numel()


def dtype_name(dtype):
    return NAMES.get(str(dtype), str(dtype).removeprefix("torch."))


def wrappers():
    kinds = {getattr(sys.modules.get(module), name, None): wrapper for wrapper, (module, name) in WRAPPERS.items()}
    kinds.pop(None, None)
    found = {kinds[type(thing)] for thing in gc.get_objects() if type(thing) in kinds}
    return [wrapper for wrapper in WRAPPERS if wrapper in found]


def peak_memory_bytes(torch):
    """Since the script began, before measuring has used any of it."""
    if torch.cuda.is_initialized():
        return torch.cuda.max_memory_allocated()
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
