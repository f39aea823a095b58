"""Hooks into somebody's training script. What they measure with is the C++ library."""

import atexit
import json
import os
import subprocess
import sys
import weakref

import stash
from stash import batches, groups, kept, loader
from stash.after_import import after_import
from stash.feed import Feed, WatchedFeed
from stash.machine import machine_facts


class Rank:
    """This process, once it trains. Launchers, loader workers and other processes never get that far."""

    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "run.json"), encoding="utf-8") as file:
            self.options = json.load(file)
        self.pid = os.getpid()
        self.feed = Feed()
        self.session = None
        self.started = False
        self.over = False       # nothing is to be measured any more
        self.groups = []        # weak references, in the order of their making, which is that of all ranks
        self.optimizers = weakref.WeakSet()
        self.outer = None       # an optimizer that is in its step
        self.counted = None     # the one whose steps count
        self.marked = False
        self.weights = None
        self.training = None
        self.drifted = False
        self.asked_to_stop = 0

    # Steps

    def before_optimizer(self, optimizer, *_):
        if self.outer is None or self.outer() is None:
            self.outer = weakref.ref(optimizer)

    def after_optimizer(self, optimizer, *_):
        if self.outer is None or self.outer() is not optimizer:
            return  # nested in another one's step
        self.outer = None
        if self.over or self.marked:
            return
        counted = self.counted() if self.counted is not None else None
        if counted is None:
            self.counted = weakref.ref(optimizer)
        elif counted is not optimizer:
            self.optimizers.add(optimizer)
            return
        if not self.started:
            self.optimizers.add(optimizer)
        self.step_ended()

    def mark_step(self):
        self.marked = True
        if not self.over:
            self.step_ended()

    def step_ended(self):
        self.feed.step_ended()
        if not self.started:
            self.start()
        if self.session is not None and self.session.step_end():
            self.stop()

    def stop(self):
        """What was wanted is measured."""
        self.asked_to_stop += 1
        sys.stdout.flush()
        if self.asked_to_stop > 3:  # a script that catches everything
            os._exit(0)
        raise SystemExit(0)

    # The library

    def library(self):
        """The library for this interpreter's torch, built when it is not there; None when it cannot be."""
        if "_stash" in sys.modules:
            return sys.modules["_stash"]
        clean = {name: value for name, value in os.environ.items() if name not in ("STASH_RUN_FOLDER", "PYTHONPATH")}
        command = [self.options["program"], "extension", "--python", sys.executable]
        found = subprocess.run(command, env=clean, stdout=subprocess.PIPE, text=True, check=False)
        if found.returncode != 0:
            self.give_up(f"there is no library for Python {sys.version.split()[0]} and its torch; see above")
            return None
        sys.path.insert(0, found.stdout.strip())
        import _stash

        return _stash

    def give_up(self, why):
        self.over = True
        self.report("error", {"kind": "environment", "message": why})

    def report(self, event, content):
        """For what has to be said before there is a session."""
        with open(self.events_path(), "a", encoding="utf-8") as file:
            file.write(json.dumps({"event": event, **content}) + "\n")

    def events_path(self):
        return os.path.join(self.folder, f"{self.pid}.events")

    def ensure_session(self):
        if self.session is not None or self.over:
            return
        library = self.library()
        if library is not None:
            self.session = library.Session(self.enter, self.finish, self.events_path())

    def add_group(self, group):
        if self.over:
            return
        self.ensure_session()
        if self.session is not None:
            self.install(group)

    def install(self, group):
        for device in group._device_types:
            self.session.add_group(group, device.type)
        self.groups.append(weakref.ref(group))

    def start(self):
        """The first step has ended: what the script does is known."""
        self.started = True
        self.ensure_session()
        if self.session is None:
            return
        import torch
        import torch.distributed as dist

        import _stash

        place = groups.Place(dist, _stash.launched_as())
        place.meet(dist, self.folder, _stash.node_identity(os.environ.get("STASH_NODE_NAME", "")))
        self.confine(dist, place)
        device = self.device(torch)
        self.feed.begin(self.session, self.options["keep_training"])
        job = dict(self.options["job"], ranks=place.size, backend=place.backend, device=device.type,
                   batch=batches.size(self.feed.last) if self.feed.per_step else 0, prefetch=self.feed.ahead(),
                   workers=self.feed.workers(),
                   dtype=self.dtype(torch), conditions=self.conditions(place, device))
        self.place, self.torch = place, torch
        self.session.start(json.dumps(job), place.control(dist), str(device), place.rank, place.first_on_node(),
                           place.hosts, place.nodes, json.dumps(machine_facts(torch)), self.options["keep_training"])
        if not place.reports_here:
            self.report("elsewhere", {"host": place.hosts[0]})
        atexit.register(self.session.end)

    def confine(self, dist, place):
        """Groups that span several nodes can be confined to one."""
        if place.node_count() == 1:
            return
        for number, reference in enumerate(self.groups):
            group = reference()
            if group is not None:
                for device, backend, ranks in place.node_backends(dist, group, number):
                    self.session.set_node(group, device, backend, ranks)

    def device(self, torch):
        parameters = kept.parameters_of(self.optimizers)
        device = parameters[0].device if parameters else torch.device("cpu")
        return torch.device(device.type, torch.cuda.current_device()) if device.type == "cuda" else device

    def dtype(self, torch):
        parameters = kept.parameters_of(self.optimizers)
        dtype = parameters[0].dtype if parameters else None
        if torch.is_autocast_enabled():
            dtype = torch.get_autocast_gpu_dtype()
        return {torch.bfloat16: "bf16", torch.float16: "fp16"}.get(dtype, "fp32")

    def conditions(self, place, device):
        nodes = place.node_count()
        possible = ["solo"] + (["apart", "node"] if place.size > nodes else []) + (["joined"] if nodes > 1 else [])
        if self.feed.per_step:
            possible += (["staged"] if device.type == "cuda" else []) + ["hot"]
            if self.feed.control is not None:
                self.feed.control.look()
            if self.feed.files.known():
                possible.append("cold")
            else:
                self.session.warn("no file of the data set was seen: fetch is not known; name the data with --data")
        else:
            self.session.warn("no DataLoader was seen: input is part of compute; mark it with stash.wrap(iterator)")
        asked = self.options["job"]["conditions"]
        return [name for name in possible if not asked or name in asked]

    # The ruler's side, while the script waits

    def enter(self, condition, steps):
        if self.weights is None:
            optimizers = list(self.optimizers)
            if self.options["keep_training"]:
                self.training = kept.Training(self.torch, optimizers)
                self.weights = self.training.weights
            else:
                self.weights = kept.Weights(self.torch, optimizers)
        apart = condition in ("solo", "apart")
        if self.drifted and not apart:
            self.weights.restore()
        self.drifted = apart and self.place.size > 1
        return self.feed.use(condition, steps, self.device(self.torch))

    def finish(self):
        self.feed.release()
        if self.place.size > 1 and self.session.collectives() == 0:
            self.session.warn("the ranks issued no collective: they were launched together and train apart")
        if self.training is not None:
            self.training.restore()
        self.over = self.options["keep_training"]
        self.weights = self.training = None


def leave_mark(folder, kind):
    """So that `stash run` can say how far the command's processes came."""
    with open(os.path.join(folder, f"{kind}-{os.getpid()}"), "w", encoding="utf-8"):
        pass


class WatchedRank(Rank):
    """`stash watch`: nothing is switched or used again; what goes by is counted."""

    def __init__(self, folder):
        super().__init__(folder)
        self.feed = WatchedFeed()

    def ensure_session(self):
        if self.session is not None or self.over:
            return
        library = self.library()
        if library is not None:
            self.session = library.Watch(self.events_path(), library.launched_as()[0])
            self.feed.watch(self.session)
            atexit.register(self.session.end)

    def step_ended(self):
        if self.session is None:
            self.started = True
            self.ensure_session()
        if self.session is not None:
            self.session.step_end()


def install():
    folder = os.environ["STASH_RUN_FOLDER"]
    watching = os.environ.get("STASH_RUN_MODE") == "watch"
    rank = stash._rank = WatchedRank(folder) if watching else Rank(folder)
    leave_mark(rank.folder, "python")

    def forked():
        """A child of a process that trains is a helper of it; a child of any other may come to train."""
        rank.pid = os.getpid()
        rank.over = rank.over or rank.session is not None

    os.register_at_fork(after_in_child=forked)

    def watch_steps(module):
        leave_mark(rank.folder, "torch")
        module.register_optimizer_step_pre_hook(rank.before_optimizer)
        module.register_optimizer_step_post_hook(rank.after_optimizer)

    after_import({
        "torch.distributed.distributed_c10d": lambda module: groups.patch(module, rank),
        "torch.utils.data.dataloader": lambda module: loader.patch(module, rank),
        "torch.optim.optimizer": watch_steps,
    })
