#include "stash/measure/install_switch.h"

namespace stash {

c10::intrusive_ptr<SwitchBackend> install_switch(const c10::intrusive_ptr<c10d::ProcessGroup>& group,
                                                 c10::Device device, std::shared_ptr<CollectiveLog> log) {
  auto backend = c10::make_intrusive<SwitchBackend>(group->getBackend(device.type()), std::move(log));
  group->setBackend(device.type(), c10d::ProcessGroup::BackendType::CUSTOM, c10::intrusive_ptr<c10d::Backend>(backend));
  return backend;
}

}  // namespace stash
