#pragma once

#include <pybind11/pybind11.h>

namespace stash {

// `BuiltinRank`, with the orders that it gets, and `Team`, which scripts' ranks meet with too.
void bind_rank(pybind11::module_& module);

}  // namespace stash
