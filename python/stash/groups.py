"""Process groups: each goes through the switch, and the ruler gets one of its own."""

import datetime
import os

# By what launchers set: torchrun, Open MPI, Slurm, PMI.
RANK = ("RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "PMI_RANK")
SIZE = ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS", "PMI_SIZE")
LOCAL_RANK = ("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "MPI_LOCALRANKID")
TIMEOUT = datetime.timedelta(minutes=30)  # a script may evaluate or save for that long


def from_environment(names, default):
    for name in names:
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name])
    return default


class Place:
    """Which rank this is, of how many."""

    def __init__(self, dist):
        self.grouped = dist.is_available() and dist.is_initialized()
        self.rank = dist.get_rank() if self.grouped else from_environment(RANK, 0)
        self.size = dist.get_world_size() if self.grouped else from_environment(SIZE, 1)
        self.local_rank = from_environment(LOCAL_RANK, self.rank)
        self.backend = str(dist.get_backend()) if self.grouped else "gloo"

    def control(self, dist, folder):
        """A backend of the ruler's own, which no condition touches; None for one rank."""
        if self.size == 1:
            return None
        if self.grouped:
            store = dist.distributed_c10d._get_default_store()
        else:  # launched together and strangers to each other
            store = dist.FileStore(os.path.join(folder, "control"), self.size)
        return dist.ProcessGroupGloo(dist.PrefixStore("stash", store), self.rank, self.size, TIMEOUT)


def patch(module, rank):
    """Hooks into torch.distributed.distributed_c10d."""
    helper = module._new_process_group_helper

    def new_group(*arguments, **options):
        result = helper(*arguments, **options)
        group = result[0] if isinstance(result, tuple) else result
        if isinstance(group, module.ProcessGroup):
            rank.add_group(group)
        return result

    module._new_process_group_helper = new_group
