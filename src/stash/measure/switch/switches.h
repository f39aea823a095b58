#pragma once

#include <memory>
#include <vector>

#include "stash/measure/switch/switch_backend.h"

namespace stash {

// The switches of a script's process groups. A backend that serves several devices of a group gets one. One that the
// script has destroyed is let go of when the next one is added.
class Switches {
 public:
  // `number` is the group's in the log.
  SwitchBackend& add(const c10::intrusive_ptr<c10d::ProcessGroup>& group, c10::Device device, int number,
                     const std::shared_ptr<CollectiveLog>& log);
  const std::vector<c10::intrusive_ptr<SwitchBackend>>& all() const { return switches_; }

 private:
  std::vector<c10::intrusive_ptr<SwitchBackend>> switches_;
};

}  // namespace stash
