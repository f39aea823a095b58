"""Process groups: each goes through the switch, and the ruler gets one of its own."""

import datetime
import os

TIMEOUT = datetime.timedelta(minutes=30)  # a script may evaluate or save for that long
SILENCE_S = 180  # of a rank that waits for the others to make their first step; they have ten times as long


class ScriptTeam:
    """All ranks of a script, and the backends that measuring needs among them."""

    def __init__(self, dist, library, folder):
        self.grouped = dist.is_available() and dist.is_initialized()
        # As the launcher says where ranks are launched together and train apart.
        self.rank, self.size = (dist.get_rank(), dist.get_world_size()) if self.grouped else library.launched_as()
        self.store = None
        if self.size > 1:
            store = dist.distributed_c10d._get_default_store() if self.grouped else \
                dist.FileStore(os.path.join(folder, "control"), self.size)
            self.store = dist.PrefixStore("stash", store)
        self.team = library.Team(self.store, self.rank, self.size)

    def meet(self, library, torch, folder, shown):
        self.team.meet(library.Member(torch=torch.__version__, reports_to=folder, groups=shown), SILENCE_S)

    def first_said(self, key, own):
        """Of all ranks the first that says something, told to all of them; None: none does."""
        if self.store is None:
            return own
        self.store.set(f"{key}/{self.rank}", own or "")
        said = (self.store.get(f"{key}/{rank}").decode() for rank in range(self.size))
        return next(filter(None, said), None)

    def backend(self, dist, device):
        """That carries the script's collectives on this device; None without a process group."""
        if not self.grouped:
            return None
        try:
            return dist.group.WORLD._get_backend(device).name()
        except RuntimeError:  # the group has none for it
            return None

    def control(self, dist):
        """A backend of the ruler's own, which no condition touches; None for one rank."""
        if self.size == 1:
            return None
        return dist.ProcessGroupGloo(dist.PrefixStore("control", self.store), self.rank, self.size, TIMEOUT)

    def node_backends(self, dist, group, number):
        """(device type, backend, ranks of the group) for those of the group's ranks that share this node; nothing
        where all of them do."""
        members, on_node = dist.get_process_group_ranks(group), self.team.ranks_here()
        here = [place for place, rank in enumerate(members) if rank in on_node]
        if len(here) == len(members):
            return
        own = here.index(members.index(self.rank))
        for device in group._device_types:
            name = group._get_backend(device).name()
            store = dist.PrefixStore(f"group/{number}/{device.type}/{on_node[0]}", self.store)
            if name == "nccl":
                yield device.type, dist.ProcessGroupNCCL(store, own, len(here), dist.ProcessGroupNCCL.Options()), here
            elif name == "gloo":
                yield device.type, dist.ProcessGroupGloo(store, own, len(here), TIMEOUT), here


def patch(module, rank):
    """Hooks into torch.distributed.distributed_c10d."""
    helper = module._new_process_group_helper

    def seen(make):
        def new_group(*arguments, **options):
            rank.group_comes()
            result = make(*arguments, **options)
            group = result[0] if isinstance(result, tuple) else result
            if isinstance(group, module.ProcessGroup):
                rank.add_group(group)
            return result

        return new_group

    module._new_process_group_helper = seen(helper)
    if hasattr(module, "split_group"):  # makes the groups of a mesh where ranks are bound to their GPUs
        module.split_group = seen(module.split_group)
