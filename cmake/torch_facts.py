"""Prints what building against this interpreter's torch needs, as CMake `set` commands."""

import os
import sys
import sysconfig

try:
    import torch
    from torch.utils import cpp_extension
except Exception as error:
    sys.exit(f"torch of {sys.executable} cannot be imported ({type(error).__name__}: {error}); reinstall it: "
             f"{sys.executable} -m pip install --force-reinstall torch")


def cmake_list(items):
    return ";".join(str(item).replace("\\", "/") for item in items)


def definitions():
    # torch before 2.11 exports pybind11's build tags, which must agree for types to cross modules.
    tags = ((name, getattr(torch._C, f"_PYBIND11_{name}", None)) for name in ("COMPILER_TYPE", "STDLIB", "BUILD_ABI"))
    return [f'PYBIND11_{name}="{value}"' for name, value in tags if value]


root = os.path.dirname(torch.__file__)
print(f'set(STASH_TORCH_VERSION "{torch.__version__}")')
print(f'set(STASH_TORCH_INCLUDES "{cmake_list(cpp_extension.include_paths())}")')
print(f'set(STASH_TORCH_LIB_DIR "{os.path.join(root, "lib")}")')
print(f'set(STASH_PYTHON_INCLUDE "{sysconfig.get_paths()["include"]}")')
print(f"set(STASH_TORCH_CXX11_ABI {int(torch._C._GLIBCXX_USE_CXX11_ABI)})")
print(f"set(STASH_TORCH_DEFINITIONS {' '.join('[[' + item + ']]' for item in definitions())})")
if not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")):
    sys.exit(f"Python.h of {sys.executable} is missing: install python3-dev (Debian) or your interpreter's headers")
