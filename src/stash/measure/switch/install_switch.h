#pragma once

#include <memory>

#include "stash/measure/switch/switch_backend.h"

namespace stash {

// Puts a switch in the place of the group's backend for this device. What the group issues from now on goes
// through it, from C++ and from Python.
c10::intrusive_ptr<SwitchBackend> install_switch(const c10::intrusive_ptr<c10d::ProcessGroup>& group,
                                                 c10::Device device, std::shared_ptr<CollectiveLog> log);

// Puts the real backend back, and the switch in its place again. A group that is on its way out needs neither.
void remove_switch(const c10::intrusive_ptr<c10d::ProcessGroup>& group, c10::Device device,
                   const SwitchBackend& backend);
void reinstall_switch(const c10::intrusive_ptr<c10d::ProcessGroup>& group, c10::Device device,
                      const c10::intrusive_ptr<SwitchBackend>& backend);

}  // namespace stash
