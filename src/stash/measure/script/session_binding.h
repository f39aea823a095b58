#pragma once

#include <pybind11/pybind11.h>

namespace stash {

// `Session`: a training script under the ruler; and what its hooks need of the page cache.
void bind_session(pybind11::module_& module);

}  // namespace stash
