"""Which functions of a script make its batches, where it has no loader: those called once per step whose result goes
into the model."""

import sys

from stash import batches
from stash.input_function import GENERATOR_FLAGS, is_library

MOST_NAMED = 3
MOST_HELD = 64  # results; what returns more of them per step returns no batches


class CallWatch:
    """Looks at one step's calls, and at what the model is given in that step and the next: some scripts make a batch
    while the one before it is computed."""

    def __init__(self, torch):
        self.torch = torch
        module = torch.nn.Module
        self.calls_module = module._call_impl.__code__
        self.inside = 0      # calls of modules that have not returned
        self.passes = 0      # outermost ones
        self.batch = None    # the first dimension of what the model was given
        self.counts = {}     # by code
        self.modules = {}    # by code, the name of the module it is in
        self.results = []    # (code, tensors)
        self.given = set()   # codes whose result went into the model
        self.steps = 0
        self.hook = None
        self.libraries = {}  # by code, whether it is none of the script's

    def begin(self):
        if sys.getprofile() is None:
            sys.setprofile(self.saw)

    def step_ended(self):
        """True: it is over."""
        self.steps += 1
        if self.steps == 1:
            self.stop()
            self.hook = self.torch.nn.modules.module.register_module_forward_pre_hook(
                lambda module, inputs: self.look(inputs))
            return False
        if self.hook is not None:
            self.hook.remove()
            self.hook = None
        self.results = []
        return True

    def stop(self):
        if sys.getprofile() == self.saw:
            sys.setprofile(None)

    def saw(self, frame, event, result):
        code = frame.f_code
        if code is self.calls_module:
            self.saw_module(frame, event)
        elif event == "return" and self.inside == 0 and result is not None and not self.is_library(code):
            self.saw_result(code, frame, result)

    def saw_module(self, frame, event):
        if event == "return":
            self.inside = max(0, self.inside - 1)
        elif event == "call":
            if self.inside == 0:
                self.passes += 1
                given = (frame.f_locals.get("args"), frame.f_locals.get("kwargs"))
                self.look(given)
                self.batch = self.batch or self.size_of(given)
            self.inside += 1

    def saw_result(self, code, frame, result):
        if code.co_name.startswith("<"):
            return
        self.counts[code] = self.counts.get(code, 0) + 1
        self.modules[code] = frame.f_globals.get("__name__", "")
        tensors = self.tensors_of(result)
        if tensors and len(self.results) < MOST_HELD:
            self.results.append((code, tensors))

    def is_library(self, code):
        if code not in self.libraries:
            self.libraries[code] = is_library(code.co_filename)
        return self.libraries[code]

    def tensors_of(self, thing):
        """In what a function returned, or a model is given; nothing that was computed with parameters is a batch."""
        found = []
        if isinstance(thing, (self.torch.Tensor, tuple, list, dict)):
            batches.mapped(thing, lambda part: found.append(part))
        return [part for part in found if isinstance(part, self.torch.Tensor) and not part.requires_grad]

    def size_of(self, given):
        return next((len(tensor) for tensor in self.tensors_of(given) if tensor.dim() > 1), None)

    def look(self, inputs):
        given = {place_in_memory(tensor) for tensor in self.tensors_of(inputs)} - {None}
        self.given.update(code for code, tensors in self.results
                          if any(place_in_memory(tensor) in given for tensor in tensors))

    def found(self):
        """(functions, generators): names as --input takes them, the outermost first."""
        wanted = [code for code in self.counts if code in self.given and self.counts[code] in (1, self.passes)]
        generators = [code for code in wanted if code.co_flags & GENERATOR_FLAGS]
        names = [[self.name(code) for code in reversed(kind)][:MOST_NAMED]
                 for kind in ([code for code in wanted if code not in generators], generators)]
        return names[0], names[1]

    def name(self, code):
        own = getattr(code, "co_qualname", code.co_name).rsplit("<locals>.", 1)[-1]
        module = self.modules[code]
        return own if module == "__main__" else f"{module}:{own}"


def place_in_memory(tensor):
    try:
        return tensor.untyped_storage().data_ptr() or None
    except Exception:  # fakes and wrappers have none
        return None


def no_loader_text(functions, generators):
    """What is said where no loader was seen."""
    text = "no DataLoader was seen: input is part of compute"
    if functions:
        calls = "is" if len(functions) == 1 else "are"
        return (f"{text}; {' and '.join(functions)} {calls} called once per pass and the result goes into the model: "
                f"measure it with --input {functions[0]}")
    if generators:
        return f"{text}; {generators[0]} yields what goes into the model: iterate over stash.wrap({generators[0]}(…))"
    return f"{text}; mark it with stash.wrap(iterator), or name the function that returns a batch with --input"
