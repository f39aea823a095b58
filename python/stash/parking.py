"""Workers of torch's DataLoader, parked and woken while a script runs. A parked worker waits for indices that it is not
given: it uses no CPU, and its loader's samples keep their order."""


class ActiveCycle:
    """In place of torch's cycle over all workers: over those that are active."""

    def __init__(self, active):
        self.active = active
        self.following = 0

    def __iter__(self):
        return self

    def __next__(self):
        worker = self.following % self.active
        self.following = worker + 1
        return worker


class Parking:
    """`most`: workers that are started for a loader, or as many as the script asks for, if that is more. `wanted`: is
    asked with each batch how many may be active; None: as many as the script asked for. `note`: is told, once for each
    reason, why a loader is left alone."""

    def __init__(self, most=0, wanted=lambda: None, note=lambda text: None):
        self.most = most
        self.wanted = wanted
        self.note = note
        self.noted = set()

    def set_active_workers(self, count):
        """From the next batch on, in every loader of this process; None: as many as the script asked for."""
        self.wanted = lambda: count

    def adopt(self, iterator, loader):
        """A new iterator, before its workers are started."""
        why = why_left_alone(iterator, loader)
        if why is not None:
            self.leave_alone(why)
            return
        iterator._stash_parking = self
        iterator._stash_own_workers = iterator._num_workers
        iterator._num_workers = max(iterator._num_workers, self.most)

    def leave_alone(self, why):
        if why not in self.noted:
            self.noted.add(why)
            self.note(why)

    def active(self, iterator):
        wanted = self.wanted()
        wanted = iterator._stash_own_workers if wanted is None else wanted
        return max(1, min(wanted, iterator._num_workers))

    def put_indices(self, iterator, put_one):
        """Gives out as many batches as the active workers may have ahead; at least one stays given out, since torch
        takes none for the end of the epoch."""
        active = self.active(iterator)
        if not isinstance(iterator._worker_queue_idx_cycle, ActiveCycle):  # a new epoch
            iterator._worker_queue_idx_cycle = ActiveCycle(active)
        iterator._worker_queue_idx_cycle.active = active
        most_ahead = active * iterator._prefetch_factor
        while iterator._send_idx - iterator._rcvd_idx < most_ahead:
            before = iterator._send_idx
            put_one(iterator)
            if iterator._send_idx == before:
                return  # the epoch has no more


def why_left_alone(iterator, loader):
    """None: its workers can be parked."""
    kind = type(iterator).__name__
    if kind == "_SingleProcessDataLoaderIter":
        return "a DataLoader has num_workers=0: it loads in the training process and has no workers to share"
    if kind != "_MultiProcessingDataLoaderIter" or not hasattr(type(iterator), "_try_put_index"):
        return f"a DataLoader's iterator is a {kind}: its workers cannot be parked"
    if iterator._dataset_kind != 0:
        return "a DataLoader reads an IterableDataset: each worker has its own samples, so none can be parked"
    if not getattr(loader, "in_order", True):
        return "a DataLoader has in_order=False: its workers cannot be parked"
    return None


def patch(module, parking):
    """Hooks into torch.utils.data.dataloader."""
    base = module._BaseDataLoaderIter
    several = module._MultiProcessingDataLoaderIter
    original_init, original_put = base.__init__, several._try_put_index

    def init(self, loader, *arguments, **keywords):
        original_init(self, loader, *arguments, **keywords)
        parking.adopt(self, loader)

    def try_put_index(self):
        own = getattr(self, "_stash_parking", None)
        if own is None:
            original_put(self)
        else:
            own.put_indices(self, original_put)

    base.__init__ = init
    several._try_put_index = try_put_index
