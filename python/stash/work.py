"""What a step of the script consists of: a few of its steps under torch's own profiler."""

import atexit
import contextlib
import os
import sys

from stash import batches, messages

RECORDED = 2               # steps, after one in which the profiler warms up
LEAST_FREE_BYTES = 1 << 28  # of the GPU's memory, for the profiler's buffers
HIDDEN = ("DTensor", "FlatParameter")  # their shapes are not those that operators see


class WorkRecorder:
    """Of rank 0. Records the steps that the script makes before measuring begins; whatever fails, the script and the
    measurement continue without."""

    def __init__(self, folder, events_path):
        self.folder = folder
        self.events_path = events_path  # a function
        self.profiler = None
        self.steps = 0
        self.own = False  # it is this one that is being started
        self.given = None  # samples that the model is given in a pass, where no loader shows them

    def patch(self, module):
        """Hooks into torch.autograd.profiler: torch has one profiler at a time, and the script's own comes first."""
        prepare = module.profile._prepare_trace

        def prepare_trace(profile):
            if not self.own and self.profiler is not None:
                self.abandon("the script started a profiler of its own: start it later, or leave it out here")
            return prepare(profile)

        module.profile._prepare_trace = prepare_trace

    def begin(self, torch, session, feed, parameters):
        """At the end of a step."""
        self.torch, self.session = torch, session
        why_not = self.why_not()
        if why_not:
            self.warn(why_not)
            return
        self.facts = facts_of(torch, feed, parameters)
        activities = [torch.profiler.ProfilerActivity.CPU]
        if torch.cuda.is_available():
            activities.append(torch.profiler.ProfilerActivity.CUDA)
        schedule = torch.profiler.schedule(wait=0, warmup=1, active=RECORDED, repeat=1)
        with self.guarded():
            self.profiler = torch.profiler.profile(activities=activities, schedule=schedule, record_shapes=True,
                                                   on_trace_ready=self.export)
            self.profiler.start()
            atexit.register(self.ended_early)

    def why_not(self):
        if self.torch._C._autograd._profiler_enabled():
            return "another profiler is active: leave it out, or give --no-work to do without this"
        if self.torch.cuda.is_initialized():
            free = self.torch.cuda.mem_get_info()[0]
            if free < LEAST_FREE_BYTES:
                return (f"the GPU has {free >> 20} MiB of free memory, too little for torch's profiler: use a smaller "
                        "batch")
        return None

    def step_ended(self):
        if self.profiler is None:
            return
        self.steps += 1
        with self.guarded():
            self.profiler.step()
            if self.steps == RECORDED + 1:
                profiler, self.profiler = self.profiler, None
                profiler.stop()

    def export(self, profiler):
        trace = os.path.join(self.folder, f"work-{os.getpid()}.json")
        profiler.export_chrome_trace(trace)
        batch, *facts = self.facts
        with open(self.events_path(), "a", encoding="utf-8") as file:
            file.write(messages.recorded_line(trace, batch or self.given, *facts))

    @contextlib.contextmanager
    def guarded(self):
        """What goes wrong with the profiler is a warning."""
        self.own = True
        try:
            yield
        except MemoryError:
            self.abandon("there was not enough memory to record it")
        except Exception as error:
            ran_out = isinstance(error, getattr(self.torch, "OutOfMemoryError", ()))
            self.abandon("the GPU had not enough memory to record it: use a smaller batch" if ran_out else
                         f"torch's profiler failed: {type(error).__name__}: {error}")
        finally:
            self.own = False

    def abandon(self, why):
        profiler, self.profiler = self.profiler, None
        if profiler is not None:
            profiler.on_trace_ready = None
            with contextlib.suppress(Exception):
                profiler.stop()
        self.warn(why)

    def warn(self, why):
        self.session.warn(f"what a step consists of was not recorded: {why}")

    def ended_early(self):
        """The script ends while it is recorded."""
        if self.profiler is None:
            return
        error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
        ran_out = isinstance(error, (MemoryError, getattr(self.torch, "OutOfMemoryError", MemoryError)))
        self.abandon("the script ended first")
        if ran_out:
            with open(self.events_path(), "a", encoding="utf-8") as file:
                file.write(messages.error_line("memory", "the script ran out of memory while two of its steps were "
                                               "recorded: use a smaller batch, or --no-work to do without"))


def facts_of(torch, feed, parameters):
    """(samples of a batch, bytes per sample, shapes of the parameters); None: unknown."""
    batch = feed.batch()
    sizes = []
    if batch:
        batches.mapped(feed.last, lambda part: sizes.append(tensor_bytes(torch, part)) or part)
    hidden = any(type(parameter).__name__ in HIDDEN for parameter in parameters)
    shapes = None if hidden else [list(parameter.shape) for parameter in parameters if parameter.requires_grad]
    return batch or None, sum(sizes) / batch if batch else None, shapes


def tensor_bytes(torch, part):
    return part.numel() * part.element_size() if isinstance(part, torch.Tensor) else 0
