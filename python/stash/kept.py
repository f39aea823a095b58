"""What profiling changes and puts back: weights, and for a script that continues everything that training depends on."""

import copy
import gc
import random
import sys


def parameters_of(optimizers):
    seen, result = set(), []
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if id(parameter) not in seen:
                    seen.add(id(parameter))
                    result.append(parameter)
    return result


class Weights:
    """Of this rank, as they were while all ranks trained together. Ranks that train apart drift apart."""

    def __init__(self, torch, optimizers):
        self.torch = torch
        self.optimizers = list(optimizers)
        self.parameters = parameters_of(optimizers)
        self.saved = [parameter.detach().clone() for parameter in self.parameters]

    def restore(self):
        with self.torch.no_grad():
            for parameter, saved in zip(self.parameters, self.saved):
                parameter.copy_(saved)
            self.clear_momentum()

    def clear_momentum(self):
        """Of gradients that were not summed, or were sums of the wrong ranks: what is not finite would stay so. A copy of
        the optimizers' state would take more memory than some scripts leave."""
        for optimizer in self.optimizers:
            for parameter, state in optimizer.state.items():
                for value in state.values() if isinstance(state, dict) else ():
                    if self.torch.is_tensor(value) and value.is_floating_point() and value.shape == parameter.shape:
                        value.zero_()


class RandomState:
    def __init__(self, torch, devices=True):
        self.torch = torch
        self.python = random.getstate()
        self.numpy = sys.modules["numpy"].random.get_state() if "numpy" in sys.modules else None
        self.cpu = torch.get_rng_state()
        self.cuda = torch.cuda.get_rng_state_all() if devices and torch.cuda.is_initialized() else None

    def restore(self):
        random.setstate(self.python)
        if self.numpy is not None:
            sys.modules["numpy"].random.set_state(self.numpy)
        self.torch.set_rng_state(self.cpu)
        if self.cuda is not None:
            self.torch.cuda.set_rng_state_all(self.cuda)


class Training:
    """All of a training's state that Python can reach: parameters, buffers, optimizers, schedulers, scalers, random
    numbers."""

    def __init__(self, torch, optimizers):
        self.weights = Weights(torch, optimizers)
        kinds = [torch.optim.lr_scheduler.LRScheduler]
        if hasattr(torch.amp, "GradScaler"):
            kinds.append(torch.amp.GradScaler)
        things = gc.get_objects()
        held = [thing for thing in things if issubclass(type(thing), tuple(kinds))]
        self.states = [(thing, copy.deepcopy(thing.state_dict())) for thing in [*optimizers, *held]]
        self.buffers = [(buffer, buffer.detach().clone()) for module in things
                        if issubclass(type(module), torch.nn.Module) for buffer in module._buffers.values()
                        if buffer is not None]
        self.random = RandomState(torch)

    def restore(self):
        self.weights.restore()
        for thing, state in self.states:
            thing.load_state_dict(state)
        with self.weights.torch.no_grad():
            for buffer, saved in self.buffers:
                buffer.copy_(saved)
        self.random.restore()
