#pragma once

#include <memory>

#include "stash/measure/switch_backend.h"

namespace stash {

// Puts a switch in the place of the group's backend for this device. What the group issues from now on goes
// through it, from C++ and from Python.
c10::intrusive_ptr<SwitchBackend> install_switch(const c10::intrusive_ptr<c10d::ProcessGroup>& group,
                                                 c10::Device device, std::shared_ptr<CollectiveLog> log);

}  // namespace stash
