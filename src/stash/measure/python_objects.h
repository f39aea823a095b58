#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "stash/launch/protocol/event.h"
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

// GPUs as Python gives them: name and bytes of memory.
using Gpus = std::vector<std::pair<std::string, std::int64_t>>;

inline MachineEvent machine_event(std::map<std::string, std::string> versions, const Gpus& gpus) {
  MachineEvent event{.versions = std::move(versions), .gpus = {}};
  for (const auto& [name, memory_bytes] : gpus) event.gpus.push_back({.name = name, .memory_bytes = memory_bytes});
  return event;
}

}  // namespace stash
