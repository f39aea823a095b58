#pragma once

#include <pybind11/pybind11.h>

#include "stash/measure/torch_headers.h"

namespace stash {

// What is behind torch's own Python objects. The pointer is taken without the holder, whose type differs between
// versions of torch.
template <typename T>
c10::intrusive_ptr<T> torch_object(const pybind11::object& object) {
  return c10::intrusive_ptr<T>::unsafe_reclaim_from_nonowning(object.cast<T*>());
}

inline c10::intrusive_ptr<c10d::ProcessGroup> group_of(const pybind11::object& object) {
  return torch_object<c10d::ProcessGroup>(object);
}

}  // namespace stash
