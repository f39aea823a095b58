"""The function that a script gets its batches from, where it has no loader: found by name, seen wherever it is called
from."""

import difflib
import gc
import inspect
import sys
import types

from stash import batches

WATCHED = 2   # steps, after the first, in which it shows how often it is called and with what result
NEAREST = 3   # names that a message holds
LIBRARIES = ("site-packages", "dist-packages")
GENERATOR_FLAGS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR

# Functions whose code was exchanged, by a number that their new code holds.
_wrapped = {}


class InputFunction:
    """`name`: function, module:function, Class.method or module:Class.method."""

    def __init__(self, name, feed):
        self.name = name
        self.feed = feed
        self.exchanged = []   # (function, its own code)
        self.steps = 0
        self.calls = []       # of each watched step
        self.this_step = 0
        self.kinds = []       # of the results: structure, shapes and types
        self.why_not = None   # what keeps its batches from being measured

    def step_ended(self):
        """True: what it does is known, and measuring may begin; after as many steps on every rank."""
        if self.steps == 0:
            self.find()
        else:
            self.calls.append(self.this_step)
        self.steps += 1
        self.this_step = 0
        if self.steps <= WATCHED:
            return False
        if self.why_not is None:
            self.why_not = self.judged()
        return True

    def find(self):
        functions = functions_of_the_script()
        found = matching(functions, self.name)
        if not found:
            self.why_not = not_found(functions, self.name)
        elif len({place_of(function) for function in found}) > 1:
            places = ", ".join(sorted({full_name(function) for function in found})[:NEAREST])
            self.why_not = f"the script has several functions of this name: {places}"
        elif any(makes_an_iterator(function) for function in found):
            self.why_not = ("it is a generator, whose calls return no batches: iterate over stash.wrap(generator) "
                            "instead")
        else:
            self.exchange(found)

    def begin(self, why_not):
        """What keeps all ranks from measuring its batches, or None."""
        if why_not is None:
            return None
        self.put_back()
        return f"--input {self.name}: {why_not}; input is part of compute"

    def exchange(self, functions):
        for function in functions:
            own = function.__code__
            original = types.FunctionType(own, function.__globals__, function.__name__, function.__defaults__,
                                          function.__closure__)
            original.__kwdefaults__ = function.__kwdefaults__
            number = len(_wrapped)
            _wrapped[number] = (self, original)
            function.__code__ = calling_code(number, own)
            self.exchanged.append((function, own))
        self.feed.function = self

    def put_back(self):
        for function, own in self.exchanged:
            function.__code__ = own
        self.exchanged = []
        self.feed.function = None
        self.feed.per_step = 0

    def called(self, original, arguments, keywords):
        self.this_step += 1
        result = self.feed.call(lambda: original(*arguments, **keywords))
        if len(self.calls) < WATCHED:
            self.kinds.append(batches.kind(result))
        return result

    def judged(self):
        """Why its batches cannot be used again; None: they can."""
        if not any(self.calls):
            return f"it was not called in the {WATCHED} steps that were watched"
        if len(set(self.calls)) > 1:
            return ("it was called " + " and then ".join(map(times, self.calls)) +
                    " in the steps that were watched: name the function that every step calls as often")
        if any(kind != self.kinds[0] for kind in self.kinds[1:]):
            other = next(kind for kind in self.kinds if kind != self.kinds[0])
            if self.calls[0] > 1 and len(set(self.kinds)) == len(set(self.kinds[:self.calls[0]])):
                return (f"it is called {times(self.calls[0])} per step for different things, {self.kinds[0]} and "
                        f"{other}: name the function that returns a whole batch")
            return f"it returns something different each time: {self.kinds[0]}, then {other}"
        if not self.kinds[0].has_tensors:
            return f"it returns {self.kinds[0]}, in which no tensor is: name the function that returns a batch"
        return None


def call(number, arguments, keywords):
    """What a function does whose code was exchanged."""
    function, original = _wrapped[number]
    return function.called(original, arguments, keywords)


def calling_code(number, own):
    """Code that calls `call`, with as many free variables as `own` has: those of a function cannot be changed."""
    free = [f"_{index}" for index in range(len(own.co_freevars))]
    lines = [f"def outer({', '.join(free)}):",
             "    def function(*arguments, **keywords):",
             *[f"        if 0: {name}" for name in free],
             f"        return __import__('stash.input_function').input_function.call({number}, arguments, keywords)",
             "    return function"]
    outer = compile("\n".join(lines), __file__, "exec").co_consts[0]
    inner = next(constant for constant in outer.co_consts if isinstance(constant, types.CodeType))
    return inner.replace(co_name=own.co_name)


def functions_of_the_script():
    """Those that are not Stash's, torch's or another library's; of a decorated one the outermost."""
    functions = [thing for thing in gc.get_objects() if type(thing) is types.FunctionType]
    inner = {id(getattr(function, "__wrapped__", None)) for function in functions}
    return [function for function in functions
            if id(function) not in inner and is_own(sys.modules.get(function.__module__), function.__module__)]


def is_own(module, name):
    if name == "__main__":
        return True
    path = getattr(module, "__file__", None)
    return bool(path) and not is_library(path)


def is_library(path):
    folders = (sys.base_prefix + "/lib/python", __file__.rsplit("/", 1)[0] + "/")
    generated = path.startswith("<") and path not in ("<string>", "<stdin>")
    return generated or path.startswith(folders) or any(f"/{folder}/" in path for folder in LIBRARIES)


def own_name(function):
    """As --input takes it: without the functions that it is defined in."""
    return function.__qualname__.rsplit("<locals>.", 1)[-1]


def full_name(function):
    return own_name(function) if function.__module__ == "__main__" else f"{function.__module__}:{own_name(function)}"


def place_of(function):
    return function.__module__, own_name(function)


def matching(functions, wanted):
    module, _, name = wanted.rpartition(":")
    return [function for function in functions
            if own_name(function) == name and (not module or is_in(function, module))]


def is_in(function, module):
    """The script itself goes by its file's name too."""
    if function.__module__ == module:
        return True
    file = getattr(sys.modules.get("__main__"), "__file__", None) or ""
    return function.__module__ == "__main__" and file.rsplit("/", 1)[-1].removesuffix(".py") == module


def not_found(functions, wanted):
    names = sorted({full_name(function) for function in functions} | {own_name(function) for function in functions})
    near = difflib.get_close_matches(wanted, names, NEAREST)
    hint = f"; the nearest {'is' if len(near) == 1 else 'are'} {', '.join(near)}" if near else ""
    return f"the script has no function of this name{hint}"


def makes_an_iterator(function):
    return bool(function.__code__.co_flags & GENERATOR_FLAGS)


def times(count):
    return {0: "not", 1: "once", 2: "twice"}.get(count, f"{count} times")
