"""Batches in whatever structure a loader gives them."""

import copy
import dataclasses
from collections.abc import Mapping


def mapped(batch, function):
    """The same structure in containers of its own, with `function` applied to every tensor and every object with
    a method `to`."""
    import torch

    if isinstance(batch, torch.Tensor):
        return function(batch)
    if isinstance(batch, Mapping):
        items = {key: mapped(value, function) for key, value in batch.items()}
        if type(batch) is dict:
            return items
        try:
            again = copy.copy(batch)
            again.update(items)
            return again
        except Exception:
            return items
    if isinstance(batch, tuple):
        values = [mapped(value, function) for value in batch]
        return type(batch)(*values) if hasattr(batch, "_fields") else tuple(values)
    if isinstance(batch, list):
        return [mapped(value, function) for value in batch]
    return function(batch) if hasattr(batch, "to") else batch


def fresh(batch):
    """Containers of its own, so that a script may take things out of it; the tensors are the same."""
    return mapped(batch, lambda part: part)


def on_device(batch, device):
    return mapped(batch, lambda part: part.to(device))


def is_on_device(batch):
    """Whether some tensor of it is on a GPU."""
    import torch

    found = []
    mapped(batch, lambda part: found.append(part.is_cuda) if isinstance(part, torch.Tensor) else None)
    return any(found)


def pinned(batch):
    def pin(part):
        part = part.to("cpu")
        return part.pin_memory() if hasattr(part, "pin_memory") else part

    return mapped(batch, pin)


def size(batch):
    """Samples, as far as one can tell: the first dimension of the first tensor; None: unknown."""
    import torch

    found = []

    def look(part):
        if isinstance(part, torch.Tensor) and part.dim() > 0:
            found.append(len(part))
        return part

    mapped(batch, look)
    return found[0] if found else None


@dataclasses.dataclass(frozen=True)
class Kind:
    """The structure of a batch with the shapes and types of what is in it."""

    text: str
    has_tensors: bool

    def __str__(self):
        return self.text


def kind(batch):
    import torch

    if isinstance(batch, torch.Tensor):
        shape = " x ".join(map(str, batch.shape)) or "1"
        return Kind(f"{shape} {str(batch.dtype).removeprefix('torch.')}", True)
    if isinstance(batch, Mapping):
        parts = [(f"{key}: ", kind(value)) for key, value in batch.items()]
        return Kind("{" + ", ".join(key + part.text for key, part in parts) + "}",
                    any(part.has_tensors for _, part in parts))
    if isinstance(batch, (tuple, list)):
        parts = [kind(value) for value in batch]
        return Kind("(" + ", ".join(part.text for part in parts) + ")", any(part.has_tensors for part in parts))
    return Kind(type(batch).__name__, False)
