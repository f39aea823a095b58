#include "stash/measure/switch/install_switch.h"

namespace stash {
namespace {

using BackendType = c10d::ProcessGroup::BackendType;

// A group keeps one backend of each type. Where one device has a switch already (a group with Gloo for the CPU and NCCL
// for GPUs), the other's needs another type: one that no such group has.
BackendType free_type(c10d::ProcessGroup& group, const SwitchBackend* backend) {
  for (const c10::Device device : group.getDeviceTypes()) {
    const c10::intrusive_ptr<c10d::Backend> other = group.getBackend(device.type());
    if (other.get() != backend && dynamic_cast<const SwitchBackend*>(other.get()) != nullptr) return BackendType::UCC;
  }
  return BackendType::CUSTOM;
}

// torch 2.5 has no function for it, and no types but these.
template <class Group>
BackendType type_of_name(const std::string& name) {
  if constexpr (requires { Group::strToBackendType(name); }) {
    return Group::strToBackendType(name);
  } else {
    if (name == "gloo") return BackendType::GLOO;
    if (name == "nccl") return BackendType::NCCL;
    if (name == "ucc") return BackendType::UCC;
    return name == "mpi" ? BackendType::MPI : BackendType::CUSTOM;
  }
}

}  // namespace

c10::intrusive_ptr<SwitchBackend> install_switch(const c10::intrusive_ptr<c10d::ProcessGroup>& group,
                                                 c10::Device device, std::shared_ptr<CollectiveLog> log) {
  auto backend = c10::make_intrusive<SwitchBackend>(group->getBackend(device.type()), std::move(log));
  reinstall_switch(group, device, backend);
  return backend;
}

void remove_switch(const c10::intrusive_ptr<c10d::ProcessGroup>& group, c10::Device device,
                   const SwitchBackend& backend) {
  const BackendType type = type_of_name<c10d::ProcessGroup>(backend.real()->getBackendName());
  group->setBackend(device.type(), type, backend.real());
}

void reinstall_switch(const c10::intrusive_ptr<c10d::ProcessGroup>& group, c10::Device device,
                      const c10::intrusive_ptr<SwitchBackend>& backend) {
  group->setBackend(device.type(), free_type(*group, backend.get()), c10::intrusive_ptr<c10d::Backend>(backend));
}

}  // namespace stash
