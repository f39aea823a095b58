#pragma once

#include <pybind11/pybind11.h>

namespace stash {

// What a worker of `stash serve` uses from Python.
void bind_worker(pybind11::module_& module);

}  // namespace stash
