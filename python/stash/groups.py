"""Process groups: each goes through the switch, and the ruler gets one of its own."""

import datetime
import json
import os

TIMEOUT = datetime.timedelta(minutes=30)  # a script may evaluate or save for that long


class Place:
    """Which rank this is, of how many."""

    def __init__(self, dist, launched):
        """`launched`: rank and size as the launcher says, for ranks that train apart."""
        self.grouped = dist.is_available() and dist.is_initialized()
        self.rank, self.size = (dist.get_rank(), dist.get_world_size()) if self.grouped else launched
        self.backend = str(dist.get_backend()) if self.grouped else "gloo"
        self.hosts, self.nodes, self.store = [""] * self.size, [0] * self.size, None
        self.reports_here = True  # rank 0 belongs to the same `stash run`

    def meet(self, dist, folder, identity):
        """Learns which ranks share a node: those with the same `identity`, (host, key)."""
        if self.size == 1:
            return
        if self.grouped:
            store = dist.distributed_c10d._get_default_store()
        else:  # launched together and strangers to each other
            store = dist.FileStore(os.path.join(folder, "control"), self.size)
        self.store = dist.PrefixStore("stash", store)
        self.store.set(f"node/{self.rank}", json.dumps([*identity, folder]))
        known = {}
        for rank in range(self.size):
            self.hosts[rank], key, its_folder = json.loads(self.store.get(f"node/{rank}"))
            self.nodes[rank] = known.setdefault(key, len(known))
            if rank == 0:
                self.reports_here = its_folder == folder and key == identity[1]

    def node_count(self):
        return max(self.nodes) + 1

    def on_this_node(self):
        return [rank for rank, node in enumerate(self.nodes) if node == self.nodes[self.rank]]

    def first_on_node(self):
        return self.on_this_node()[0] == self.rank

    def control(self, dist):
        """A backend of the ruler's own, which no condition touches; None for one rank."""
        if self.size == 1:
            return None
        return dist.ProcessGroupGloo(dist.PrefixStore("control", self.store), self.rank, self.size, TIMEOUT)

    def node_backends(self, dist, group, number):
        """(device type, backend, ranks of the group) for those of the group's ranks that share this node; nothing
        where all of them do."""
        members = dist.get_process_group_ranks(group)
        here = [place for place, rank in enumerate(members) if rank in self.on_this_node()]
        if len(here) == len(members):
            return
        own = here.index(members.index(self.rank))
        for device in group._device_types:
            name = group._get_backend(device).name()
            store = dist.PrefixStore(f"group/{number}/{device.type}/{self.nodes[self.rank]}", self.store)
            if name == "nccl":
                yield device.type, dist.ProcessGroupNCCL(store, own, len(here), dist.ProcessGroupNCCL.Options()), here
            elif name == "gloo":
                yield device.type, dist.ProcessGroupGloo(store, own, len(here), TIMEOUT), here


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
