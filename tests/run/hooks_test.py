"""What the hooks in a script see, without torch: fakes of what they look at."""

import json
import types
import unittest

from stash import group_names, messages, shared_names
from stash.machine import accelerator_id, machine_facts
from stash.precision import Precision


def fake_torch(gpus):
    properties = [types.SimpleNamespace(name=name, total_memory=memory, uuid=f"GPU-{index}")
                  for index, (name, memory) in enumerate(gpus)]
    cuda = types.SimpleNamespace(is_available=lambda: bool(gpus), device_count=lambda: len(gpus),
                                 get_device_properties=properties.__getitem__, current_device=lambda: len(gpus) - 1,
                                 nccl=types.SimpleNamespace(version=lambda: (2, 27, 3)))
    return types.SimpleNamespace(__version__="2.13.0", cuda=cuda, version=types.SimpleNamespace(cuda="12.9", hip=None),
                                 distributed=types.SimpleNamespace(is_nccl_available=lambda: True))


class MachineTest(unittest.TestCase):
    def test_every_gpu_is_named(self):
        versions, gpus = machine_facts(fake_torch([("NVIDIA H200", 150), ("NVIDIA H200", 151)]))
        self.assertEqual(gpus, [("NVIDIA H200", 150), ("NVIDIA H200", 151)])
        self.assertEqual(versions["cuda"], "12.9")
        self.assertEqual(versions["nccl"], "2.27.3")

    def test_without_a_gpu_there_are_versions_only(self):
        versions, gpus = machine_facts(fake_torch([]))
        self.assertEqual(gpus, [])
        self.assertEqual(set(versions), {"torch", "python"})

    def test_a_gpu_is_told_by_its_own_id(self):
        self.assertEqual(accelerator_id(fake_torch([("A", 1), ("B", 2)])), "GPU-1")


class Parameter:
    def __init__(self, dtype, floating=True):
        self.dtype = f"torch.{dtype}"
        self.is_floating_point = lambda: floating


class FlatParameter(Parameter):
    pass


def autocast_module():
    class autocast:
        def __init__(self, dtype, enabled=True):
            self.fast_dtype, self._enabled, self.entered = f"torch.{dtype}", enabled, False

        def __enter__(self):
            self.entered = True
            return self

        def __exit__(self, *_):
            return None

    return types.SimpleNamespace(autocast=autocast)


class PrecisionTest(unittest.TestCase):
    def setUp(self):
        self.precision = Precision()
        self.module = autocast_module()
        self.precision.patch(self.module)

    def seen(self, *parameters, modules=()):
        return self.precision.seen(parameters, modules)

    def test_of_parameters(self):
        self.assertEqual(self.seen(Parameter("float32")), "fp32")
        self.assertEqual(self.seen(Parameter("bfloat16"), Parameter("int64", floating=False)), "bf16")
        self.assertEqual(self.seen(FlatParameter("bfloat16"), modules=["deepspeed"]), "bf16")

    def test_of_autocast_though_it_is_left_before_the_optimizer_steps(self):
        with self.module.autocast("bfloat16") as context:
            self.assertTrue(context.entered)
        self.assertEqual(self.seen(Parameter("float32")), "bf16")

    def test_a_switched_off_autocast_casts_nothing(self):
        with self.module.autocast("float16", enabled=False):
            pass
        self.assertEqual(self.seen(Parameter("float32")), "fp32")

    def test_what_is_not_known_is_not_stated(self):
        self.assertIsNone(self.seen())
        self.assertIsNone(self.seen(Parameter("float32"), Parameter("bfloat16")))
        self.assertIsNone(self.seen(Parameter("float8_e4m3fn")))
        self.assertIsNone(self.seen(FlatParameter("float32")))
        self.assertIsNone(self.seen(Parameter("float32"), modules=["torch", "deepspeed"]))
        for dtype in ("bfloat16", "float16"):
            with self.module.autocast(dtype):
                pass
        self.assertIsNone(self.seen(Parameter("float32")))


class Group:
    """As empty as torch's, which the garbage collector does not look into."""

    __slots__ = ("__weakref__",)


class GroupNamesTest(unittest.TestCase):
    def clearest(self, *groups):
        found = group_names.Variables(groups).clearest()
        return [found.get(id(group)) for group in groups]

    def test_a_variable_is_about_its_group(self):
        for variable, name in (("_TENSOR_MODEL_PARALLEL_GROUP", "tensor_model_parallel"), ("dp_pg", "dp"),
                               ("group_tp", "tp"), ("expert_process_group", "expert"), ("pg", ""), ("_group", ""),
                               ("process_group", "")):
            self.assertEqual(group_names.cleaned(variable), name)

    def test_a_description_is_the_scripts_own(self):
        self.assertEqual(group_names.described("mesh_dp"), "dp")
        self.assertEqual(group_names.described("experts"), "experts")
        self.assertEqual(group_names.described("undefined"), "")
        self.assertEqual(group_names.described("default_pg"), "")

    def test_names_are_found_wherever_a_script_holds_its_groups(self):
        class Trainer:
            pass

        dp_group = Group()
        trainer = Trainer()
        trainer.tp_group = Group()
        held = {"pp": Group()}
        ep_group = Group()

        def reduce():
            return ep_group, held

        del_later = Trainer()
        del_later.reduce = reduce
        self.assertEqual(self.clearest(dp_group, trainer.tp_group, held["pp"], ep_group), ["dp", "tp", "pp", "ep"])

    def test_a_name_that_says_nothing_is_none(self):
        group = Group()
        self.assertEqual(self.clearest(group), [None])


class MessagesTest(unittest.TestCase):
    def test_an_error_has_the_names_that_the_program_reads(self):
        line = json.loads(messages.error_line("usage", "no such backend"))
        self.assertEqual(line, {"event": "error", "kind": "usage", "message": "no such backend", "lost": []})
        self.assertEqual({"event", *shared_names.ERROR_KEYS}, set(line))

    def test_a_kind_that_the_program_does_not_know_is_refused(self):
        with self.assertRaises(ValueError):
            messages.error_line("mood", "bad")


if __name__ == "__main__":
    unittest.main()
