"""The numbers that a script computes with, as far as it shows them."""

NAMES = {"torch.float32": "fp32", "torch.bfloat16": "bf16", "torch.float16": "fp16"}
# They keep parameters in one type and compute in another, where nobody sees it.
WRAPPED = ("FlatParameter", "DTensor")
WRAPPERS = ("deepspeed", "apex")


class Precision:
    def __init__(self):
        self.cast_to = set()  # what autocast was entered with

    def patch(self, module):
        """Hooks into torch.amp.autocast_mode."""
        entered = module.autocast.__enter__

        def enter(context):
            if getattr(context, "_enabled", False):
                self.cast_to.add(str(getattr(context, "fast_dtype", None)))
            return entered(context)

        module.autocast.__enter__ = enter

    def seen(self, parameters, modules):
        """fp32, bf16 or fp16; None where it cannot be known. `modules`: names of what the script has imported."""
        if self.cast_to:
            return NAMES.get(next(iter(self.cast_to))) if len(self.cast_to) == 1 else None
        kinds = {str(parameter.dtype) for parameter in parameters if parameter.is_floating_point()}
        name = NAMES.get(next(iter(kinds))) if len(kinds) == 1 else None
        if name != "fp32":
            return name
        hidden = any(type(parameter).__name__ in WRAPPED for parameter in parameters)
        return None if hidden or any(wrapper in modules for wrapper in WRAPPERS) else name
