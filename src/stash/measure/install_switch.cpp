#include "stash/measure/install_switch.h"

namespace stash {

c10::intrusive_ptr<SwitchBackend> install_switch(const c10::intrusive_ptr<c10d::ProcessGroup>& group,
                                                 c10::Device device, std::shared_ptr<CollectiveLog> log) {
  auto backend = c10::make_intrusive<SwitchBackend>(group->getBackend(device.type()), std::move(log));
  reinstall_switch(group, device, backend);
  return backend;
}

void remove_switch(const c10::intrusive_ptr<c10d::ProcessGroup>& group, c10::Device device,
                   const SwitchBackend& backend) {
  const auto type = c10d::ProcessGroup::strToBackendType(backend.real()->getBackendName());
  group->setBackend(device.type(), type, backend.real());
}

void reinstall_switch(const c10::intrusive_ptr<c10d::ProcessGroup>& group, c10::Device device,
                      const c10::intrusive_ptr<SwitchBackend>& backend) {
  group->setBackend(device.type(), c10d::ProcessGroup::BackendType::CUSTOM, c10::intrusive_ptr<c10d::Backend>(backend));
}

}  // namespace stash
