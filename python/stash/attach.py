"""Hooks into somebody's training script. What they measure with is the C++ library."""

import atexit
import json
import os
import subprocess
import sys
import weakref

import stash
from stash import group_names, groups, kept, loader, parking, shared_names, sharing
from stash.after_import import after_import
from stash.call_watch import CallWatch, no_loader_text
from stash.feed import Feed, WatchedFeed
from stash.files import Files
from stash.fixes import Fixes
from stash.input_function import InputFunction
from stash.machine import machine_facts
from stash.messages import error_line, read_script_order, script_line
from stash.precision import Precision
from stash.script_facts import script_facts
from stash.work import WorkRecorder

MOST_REQUESTS = 3  # to stop, to a script that catches everything


class AttachedRank:
    """This process, once it trains. Launchers, loader workers and other processes never get that far."""

    feed_type = Feed

    def __init__(self, folder, order):
        self.folder = folder
        self.order = order
        self.pid = os.getpid()
        self.feed = self.feed_type(Files(folder, order.data))
        self.input = InputFunction(order.input, self.feed) if order.input else None
        self.call_watch = None  # for a while, where the script has no loader
        self.precision = Precision()
        self.fixes = Fixes(self) if order.tries else None
        self.work = WorkRecorder(folder, self.events_path)
        self.torch = None       # until the first step has ended
        self.team = None
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
            if self.input is None or self.input.step_ended():
                self.start()
        else:
            self.work.step_ended()
            if self.call_watch is not None and self.call_watch.step_ended():
                self.tell_of_input()
        if self.session is not None and self.session.step_end():
            self.stop()

    def stop(self):
        """What was wanted is measured."""
        self.asked_to_stop += 1
        sys.stdout.flush()
        if self.asked_to_stop > MOST_REQUESTS:
            os._exit(0)
        raise SystemExit(0)

    # The library

    def library(self):
        """The library for this interpreter's torch, built when it is not there; None when it cannot be."""
        if "_stash" in sys.modules:
            return sys.modules["_stash"]
        clean = {name: value for name, value in os.environ.items()
                 if name not in (shared_names.RUN_FOLDER_VARIABLE, "PYTHONPATH")}
        command = [self.order.program, "extension", "--python", sys.executable]
        found = subprocess.run(command, env=clean, stdout=subprocess.PIPE, text=True, check=False)
        if found.returncode != 0:
            self.give_up(f"there is no library for Python {sys.version.split()[0]} and its torch; see above")
            return None
        sys.path.insert(0, found.stdout.strip())
        import _stash

        return _stash

    def give_up(self, why):
        self.over = True
        self.session = None
        self.tell(error_line("environment", why))

    def tell(self, line):
        with open(self.events_path(), "a", encoding="utf-8") as file:
            file.write(line)

    def events_path(self):
        return os.path.join(self.folder, f"{self.pid}{shared_names.EVENTS_SUFFIX}")

    def ensure_session(self):
        if self.session is not None or self.over:
            return
        library = self.library()
        if library is not None:
            self.session = library.Session(self.enter, self.finish, self.change, self.events_path())

    def add_group(self, group):
        if self.over:
            return
        self.ensure_session()
        if self.session is not None:
            self.install(group)

    def group_comes(self):
        """All ranks are about to make a process group."""
        if self.session is not None and self.started and not self.order.watch:
            self.session.before_group()

    def install(self, group):
        number = len(self.groups)
        if self.started and not self.order.watch:
            self.session.name_group(number, group_names.described(group.group_desc))
        for device in group._device_types:
            self.session.add_group(group, device.type, number)
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

        self.torch = torch
        self.team = groups.ScriptTeam(dist, _stash, self.folder)
        atexit.register(self.session.end)
        try:
            self.measure_from_now_on(torch, dist, _stash)
        except _stash.Error as error:  # no reason to stop somebody's script
            self.give_up(str(error))
            return

    def measure_from_now_on(self, torch, dist, library):
        numbers, known = self.living_groups()
        self.team.meet(library, torch, self.folder, group_names.shown_groups(library, dist, known))
        self.confine(dist)
        device = self.device(torch)
        why_no_input = self.settle_input()
        self.feed.begin(self.session, self.order.keep_training)
        shown = library.ShownJob(backend=self.team.backend(dist, device),
                                 dtype=self.precision.seen(self.parameters(), sys.modules),
                                 batch=self.feed.batch(), workers=self.feed.workers(), prefetch=self.feed.ahead(),
                                 reads_batches=bool(self.feed.per_step), reads_files=self.feed.reads_files())
        self.session.start(os.path.join(self.folder, shared_names.SCRIPT_ORDER_FILE), self.team.team,
                           self.team.control(dist), str(device), shown, numbers, *machine_facts(torch), self.offered_fixes(torch))
        if why_no_input is not None:
            self.session.warn(why_no_input)
        if self.order.records_work and self.team.rank == 0:
            self.work.begin(torch, self.session, self.feed, self.parameters())
        if not self.feed.per_step and self.input is None:
            self.call_watch = CallWatch(torch)
            self.call_watch.begin()
            atexit.register(self.tell_of_input)  # before the session ends

    def offered_fixes(self, torch):
        """Those of rank 0: all ranks try the same."""
        if self.fixes is None:
            return []
        own = json.dumps(self.fixes.offers(torch)) if self.team.rank == 0 else None
        return json.loads(self.team.first_said("fixes", own) or "[]")

    def change(self, fix):
        """On the ruler's thread, while the script waits: why this fix cannot be made, or None. Empty: undone."""
        return self.fixes.change(fix)

    def settle_input(self):
        """Ranks measure the input of all of them, or of none: why of none."""
        if self.input is None:
            return None
        return self.input.begin(self.team.first_said("input", self.input.why_not))

    def tell_of_input(self):
        if self.call_watch is not None:
            self.call_watch.stop()
            self.work.given = self.call_watch.batch
            self.session.warn(no_loader_text(*self.call_watch.found()))
            self.call_watch = None

    def living_groups(self):
        """(numbers, groups): those that the script has not destroyed."""
        living = [(number, reference()) for number, reference in enumerate(self.groups)]
        living = [(number, group) for number, group in living if group is not None and group._device_types]
        return [number for number, _ in living], [group for _, group in living]

    def confine(self, dist):
        """Groups that span several nodes can be confined to one."""
        if len(self.team.team.nodes()) == 1:
            return
        for number, reference in enumerate(self.groups):
            group = reference()
            if group is not None:
                for device, backend, ranks in self.team.node_backends(dist, group, number):
                    self.session.set_node(group, device, backend, ranks)

    def parameters(self):
        return kept.parameters_of(self.optimizers)

    def device(self, torch):
        parameters = self.parameters()
        device = parameters[0].device if parameters else torch.device("cpu")
        return torch.device(device.type, torch.cuda.current_device()) if device.type == "cuda" else device

    # The ruler's side, while the script waits

    def enter(self, apart, drifts, reads_input, copies, cold, steps):
        if self.weights is None:
            if self.team.rank == 0:
                self.tell(script_line(script_facts(self.torch, self)))
            optimizers = list(self.optimizers)
            if self.order.keep_training:
                self.training = kept.Training(self.torch, optimizers)
                self.weights = self.training.weights
            else:
                self.weights = kept.Weights(self.torch, optimizers)
        if self.drifted and not apart:
            self.weights.restore()
        self.drifted = drifts
        return self.feed.use(reads_input, copies, cold, steps, self.device(self.torch))

    def finish(self):
        self.feed.release()
        if self.team.size > 1 and self.session.collectives() == 0:
            self.session.warn("the ranks issued no collective: they were launched together and train apart")
        if self.training is not None:
            self.training.restore()
        self.over = self.order.keep_training
        if self.fixes is not None:
            self.fixes.end()
        if self.over and self.input is not None:
            self.input.put_back()
        self.weights = self.training = None


def leave_mark(folder, mark):
    """So that `stash run` can say how far the command's processes came."""
    with open(os.path.join(folder, f"{mark}{os.getpid()}"), "w", encoding="utf-8"):
        pass


class WatchedRank(AttachedRank):
    """`stash watch`: nothing is switched or used again; what goes by is counted."""

    feed_type = WatchedFeed

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
    folder = os.environ[shared_names.RUN_FOLDER_VARIABLE]
    order = read_script_order(folder)
    if order.pool is not None:
        leave_mark(folder, shared_names.PYTHON_MARK)
        sharing.install(folder, order)
        return
    rank = stash._rank = (WatchedRank if order.watch else AttachedRank)(folder, order)
    leave_mark(folder, shared_names.PYTHON_MARK)

    def forked():
        """A child of a process that trains is a helper of it; a child of any other may come to train."""
        rank.pid = os.getpid()
        rank.over = rank.over or rank.session is not None

    os.register_at_fork(after_in_child=forked)

    def watch_steps(module):
        leave_mark(folder, shared_names.TORCH_MARK)
        module.register_optimizer_step_pre_hook(rank.before_optimizer)
        module.register_optimizer_step_post_hook(rank.after_optimizer)

    def patch_loaders(module):
        if rank.fixes is not None:
            parking.patch(module, rank.fixes.spare)
        loader.patch(module, rank)

    after_import({
        "torch.distributed.distributed_c10d": lambda module: groups.patch(module, rank),
        "torch.utils.data.dataloader": patch_loaders,
        "torch.optim.optimizer": watch_steps,
        "torch.amp.autocast_mode": rank.precision.patch,
        "torch.autograd.profiler": rank.work.patch,
    })
