"""What only the interpreter knows about the machine."""

import platform


def machine_facts(torch):
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
