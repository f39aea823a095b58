"""Fixes that `stash run --try` measures: what of a script's objects can be changed in place, and changed back."""

import dataclasses
import gc
import sys

from stash import batches
from stash.parking import Parking, why_left_alone

WORKERS_FACTOR = PREFETCH_FACTOR = 2
BUCKET_FACTOR = 4            # a bucket that is half as large makes little difference
SMALLEST_BUCKET = 1 << 20    # and sizes are whole MiB, as bucket_cap_mb takes them
STARTED_WITH = "torch starts them with the loader"


class Spare(Parking):
    """Loaders start twice the workers that the script asked for; those beyond are parked until they are tried."""

    def __init__(self, rank):
        super().__init__()
        self.rank = rank

    def adopt(self, iterator, loader):
        if self.rank.over:
            return
        iterator._stash_why_alone = why_left_alone(iterator, loader)
        if iterator._stash_why_alone is None:
            self.most = WORKERS_FACTOR * iterator._num_workers
            super().adopt(iterator, loader)


class Fixes:
    """Of this rank. `offers` is asked for once, when the first step has ended; `change` while the script waits."""

    def __init__(self, rank):
        self.rank = rank
        self.spare = Spare(rank)
        self.made = ""       # the fix that is in force
        self.undo = None     # what takes it back
        self.reducers = {}   # (own, by bucket size), by module's id

    def offers(self, torch):
        """[(fix, why it cannot be tried)]; an empty reason: it can."""
        return [*self.sums(torch), *self.input()]

    def change(self, name):
        """Why not, or None."""
        if self.undo is not None:
            self.undo()
            self.undo = None
        if not name:
            return None
        kind, _, value = name.partition(":")
        try:
            self.undo = {"bucket": self.use_bucket, "workers": self.use_workers, "prefetch": self.use_prefetch,
                         "pinned": self.pin}[kind](int(value or 0))
        except Exception as error:  # torch's own objects, of any version
            return f"{type(error).__name__}: {error}"
        return None

    def end(self):
        self.change("")
        for _, _, others in self.reducers.values():
            for reducer, _ in others.values():
                reducer._remove_autograd_hooks()
        self.reducers.clear()

    # Sums of gradients

    def sums(self, torch):
        modules = replicated(torch)
        if not modules:
            return []
        hooked = any(getattr(module, "_comm_hooks", None) for module in modules)
        offers = [("half_gradients", "the script has a communication hook of its own")] if hooked else []
        why_not = "the script has a communication hook of its own" if hooked else why_not_rebuilt(modules)
        cap = modules[0].bucket_bytes_cap
        gradient_bytes = max(bytes_of_gradients(module) for module in modules)
        smaller = max(cap // BUCKET_FACTOR // SMALLEST_BUCKET * SMALLEST_BUCKET, SMALLEST_BUCKET)
        if smaller < min(cap, gradient_bytes):
            offers.append((f"bucket:{smaller}", why_not))
        one = "" if gradient_bytes > cap else "one bucket holds all gradients already"
        offers.append((f"bucket:{cap * BUCKET_FACTOR}", why_not or one))
        return offers

    def use_bucket(self, size):
        torch = sys.modules["torch"]
        modules = replicated(torch)
        for module in modules:
            _, _, others = self.reducers.setdefault(id(module), (module, (module.reducer, module.logger), {}))
            if size not in others:
                others[size] = made_reducer(module, size)
            module.reducer, module.logger = others[size]

        def undo():
            for module, own, _ in self.reducers.values():
                module.reducer, module.logger = own

        return undo

    # Input

    def loader(self):
        """The iterator of the training loop's loader, if it is torch's."""
        control = self.rank.feed.control
        return control.iterator if control is not None else None

    def why_not_parked(self):
        if self.rank.feed.function is not None:
            return "batches come from a function, which has no workers"
        iterator = self.loader()
        if iterator is None:
            return "the loader is not torch's DataLoader"
        if iterator._num_workers == 0:
            return f"the loader has no workers, and {STARTED_WITH}: DataLoader(num_workers=…)"
        return getattr(iterator, "_stash_why_alone", "the loader's workers were started before it was seen") or ""

    def input(self):
        if not self.rank.feed.per_step:
            return []
        why_not = self.why_not_parked()
        iterator = self.loader()
        own = self.rank.feed.workers()
        offers = [(f"workers:{max(1, WORKERS_FACTOR * own)}", why_not)]
        if own > 1:
            offers.append((f"workers:{own // WORKERS_FACTOR}", why_not))
        ahead = PREFETCH_FACTOR * (getattr(iterator, "_prefetch_factor", None) or 1)
        return [*offers, (f"prefetch:{ahead}", why_not), ("pinned", self.why_not_pinned())]

    def why_not_pinned(self):
        if self.rank.device(self.rank.torch).type != "cuda":
            return "batches stay in the CPU's memory"
        return "batches are in pinned memory or on the GPU already" if are_pinned(self.rank.feed.last) else ""

    def use_workers(self, count):
        self.spare.set_active_workers(count)
        return lambda: self.spare.set_active_workers(None)

    def use_prefetch(self, ahead):
        iterator = self.loader()
        own = iterator._prefetch_factor
        iterator._prefetch_factor = ahead

        def undo():
            iterator._prefetch_factor = own

        return undo

    def pin(self, _):
        """By the training loop's own thread, which costs more than a thread of the loader's would."""
        self.rank.feed.treat = batches.pinned

        def undo():
            self.rank.feed.treat = None

        return undo


def replicated(torch):
    """The script's DistributedDataParallel modules, in the order of their making."""
    kind = torch.nn.parallel.DistributedDataParallel
    return [thing for thing in gc.get_objects() if issubclass(type(thing), kind) and hasattr(thing, "reducer")]


def bytes_of_gradients(module):
    return sum(parameter.numel() * parameter.element_size() for parameter in module.parameters()
               if parameter.requires_grad)


def why_not_rebuilt(modules):
    """Whether a second reducer can stand beside a module's own."""
    if len({module.bucket_bytes_cap for module in modules}) > 1:
        return "several DistributedDataParallel modules have buckets of different sizes"
    for module in modules:
        if not all(hasattr(module, name) for name in ("_ddp_init_helper", "_build_params_for_reducer")):
            return "this version of torch makes its reducer in another way"
        if module.static_graph:
            return "DistributedDataParallel(static_graph=True) learns its graph once"
        if getattr(module, "mixed_precision", None) is not None or getattr(module, "_use_python_reducer", False):
            return "gradients are not summed by torch's usual reducer"
    compiled = getattr(sys.modules.get("torch._dynamo.eval_frame"), "OptimizedModule", None)
    if compiled is not None and any(type(thing) is compiled for thing in gc.get_objects()):
        return "the compiled model is split where its buckets end"
    return ""


def made_reducer(module, size):
    """(reducer, logger) with buckets of another size. Both reducers see gradients; only the one whose step has been
    prepared, which is the module's, does anything with them."""
    own = {name: module.__dict__[name] for name in ("reducer", "logger", "bucket_bytes_cap", "bucket_bytes_cap_default",
                                                    "_bucket_config") if name in module.__dict__}
    try:
        module.bucket_bytes_cap = size
        module.bucket_bytes_cap_default = False
        if "_bucket_config" in own:
            module._bucket_config = dataclasses.replace(own["_bucket_config"], bucket_bytes_cap=size,
                                                        per_bucket_bytes_caps=(), first_bucket_bytes_cap=size)
        parameters, sparse = module._build_params_for_reducer()
        names = module._build_debug_param_to_name_mapping(parameters)
        module._ddp_init_helper(parameters, sparse, names, module.static_graph)
        return module.reducer, module.logger
    finally:
        module.__dict__.update(own)


def are_pinned(batch):
    """Or on the GPU: nothing in it could be pinned."""
    import torch

    loose = []
    batches.mapped(batch, lambda part: loose.append(part) if isinstance(part, torch.Tensor) and not part.is_cuda and
                   not part.is_pinned() else None)
    return not loose
