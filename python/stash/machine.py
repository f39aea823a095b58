"""What only the interpreter knows about the machine."""

import platform


def machine_facts(torch):
    """Versions of libraries by name, and (name, bytes of memory) of every GPU that torch sees."""
    versions = {"torch": torch.__version__, "python": platform.python_version()}
    gpus = []
    if torch.cuda.is_available():
        versions["cuda"] = torch.version.cuda or torch.version.hip
        if torch.distributed.is_nccl_available():
            versions["nccl"] = ".".join(map(str, torch.cuda.nccl.version()))
        for index in range(torch.cuda.device_count()):
            properties = torch.cuda.get_device_properties(index)
            gpus.append((properties.name, properties.total_memory))
    return versions, gpus


def accelerator_id(torch):
    """What tells this rank's GPU from the others of its host."""
    current = torch.cuda.current_device()
    return str(getattr(torch.cuda.get_device_properties(current), "uuid", current))
