"""What a script calls its process groups, and what uses them."""

import gc
import sys
import types

MOST_GROUPS = 64  # of a rank; scripts have a handful
LONGEST = 60      # characters of a name
# Torch's own words for groups that nobody described.
NO_DESCRIPTION = ("", "undefined", "default_pg", "mesh_default")
# Names of variables that say nothing about what a group is for.
SAYS_NOTHING = {"", "g", "pg", "group", "process", "comm", "new", "default", "sub", "subgroup", "result", "self", "cls", "x", "value",
                "item", "world", "my", "this", "local", "current", "own", "referent", "shard", "mesh", "dim"}
ENDINGS = ("_process_group", "_processgroup", "_group", "_pg", "_comm", "_communicator")


def cleaned(variable):
    """`_TENSOR_MODEL_PARALLEL_GROUP` is about tensor_model_parallel; empty: the name says nothing."""
    name = variable.strip("_").lower()
    for ending in ENDINGS:
        name = name.removesuffix(ending)
    for beginning in ("group_", "pg_"):
        name = name.removeprefix(beginning)
    return "" if name in SAYS_NOTHING or not name.isidentifier() else name[:LONGEST]


def described(description):
    """The script's own description, or torch's for a dimension of a mesh without a name for it."""
    if description in NO_DESCRIPTION:
        return ""
    return description.removeprefix("mesh_")[:LONGEST]


class Variables:
    """Names under which a script holds its groups: variables, attributes, keys, also those that a function closes over."""

    def __init__(self, groups):
        self.wanted = {id(group) for group in groups}
        self.found = {}  # names by the group's id()
        frame = sys._getframe(1)
        while frame is not None:
            self.look(list(frame.f_locals.items()), 1)
            self.look(list(frame.f_globals.items()), 1)
            frame = frame.f_back
        for holder in gc.get_referrers(*groups):
            if isinstance(holder, dict):
                self.look(list(holder.items()))
            elif not isinstance(holder, (list, tuple, set, types.FrameType)):
                self.look(list(getattr(holder, "__dict__", {}).items()))
        for thing in gc.get_objects():  # nothing refers back to a closure's dictionary of groups
            if type(thing) is types.FunctionType and thing.__closure__:
                self.look_at_function(thing)

    def look(self, names, deeper=0):
        """A dictionary of groups alone is hidden from the collector: it is looked into where it is met."""
        for name, value in names:
            if not isinstance(name, str):
                continue
            if id(value) in self.wanted and cleaned(name):
                self.found.setdefault(id(value), set()).add(cleaned(name))
            elif deeper and type(value) is dict:
                self.look(list(value.items()))

    def look_at_function(self, function):
        self.look([(name, cell.cell_contents) for name, cell in zip(function.__code__.co_freevars, function.__closure__)
                   if cell_is_full(cell)], 1)

    def clearest(self):
        return {key: min(names, key=lambda name: (len(name), name)) for key, names in self.found.items()}


def cell_is_full(cell):
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


class Users:
    """What issues collectives on a group, and the dimensions of meshes it was made for, as far as objects show it."""

    def __init__(self):
        self.meshes = {}  # by the group's name
        self.used_by = {}
        mesh, ddp, fsdp1, fsdp2 = (self.type_of(*where) for where in (
            ("torch.distributed.device_mesh", "DeviceMesh"), ("torch.nn.parallel.distributed", "DistributedDataParallel"),
            ("torch.distributed.fsdp.fully_sharded_data_parallel", "FullyShardedDataParallel"),
            ("torch.distributed.fsdp._fully_shard._fsdp_param_group", "FSDPParamGroup")))
        for thing in gc.get_objects():
            kind = type(thing)
            if kind is mesh:
                self.see(self.see_mesh, thing)
            elif kind is ddp:
                self.see(lambda module: self.add(module.process_group, "DDP"), thing)
            elif kind is fsdp1:
                self.see(lambda module: self.add(module.process_group, "FSDP"), thing)
            elif kind is fsdp2:
                self.see(self.see_sharded, thing)

    @staticmethod
    def type_of(module, name):
        return getattr(sys.modules.get(module), name, Users)

    @staticmethod
    def see(look, thing):
        """Torch's internals change: what they do not show costs a word in a report."""
        try:
            look(thing)
        except Exception:
            return

    def add(self, group, user):
        users = self.used_by.setdefault(group.group_name, [])
        if user not in users:
            users.append(user)

    def see_mesh(self, mesh):
        for dimension, name in enumerate(mesh.mesh_dim_names or ()):
            self.meshes.setdefault(mesh.get_group(dimension).group_name, name[:LONGEST])

    def see_sharded(self, parameters):
        for kind in ("shard", "replicate"):
            group = getattr(parameters.mesh_info, f"{kind}_process_group", None)
            if group is not None:
                self.add(group, "FSDP")


def shown_groups(library, dist, groups):
    """The groups as this rank sees them, in their order."""
    groups = groups[:MOST_GROUPS]
    if not groups:
        return []
    users, held_as = Users(), Variables(groups).clearest()
    world = dist.group.WORLD
    return [library.ShownGroup(id=group.group_name, mesh=users.meshes.get(group.group_name, ""),
                               description=described(group.group_desc), variable="" if group is world else held_as.get(id(group), ""),
                               is_default=group is world, used_by=users.used_by.get(group.group_name, []),
                               ranks=dist.get_process_group_ranks(group))
            for group in groups]
