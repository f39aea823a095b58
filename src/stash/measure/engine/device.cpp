#include "stash/measure/engine/device.h"

#include <ATen/Context.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <fmt/format.h>

#include <algorithm>

#include "stash/core/clock.h"
#include "stash/core/emulated_time.h"
#include "stash/core/error.h"

namespace stash {
namespace {

constexpr double kMoment_s = 1e-3;

}  // namespace

std::int64_t EmulatedStream::next_start_ns() const {
  return stash::next_start_ns(std::max(busy_until_ns_, arrived_ns_.load(std::memory_order_relaxed)), now_ns());
}

void EmulatedStream::arrive(std::int64_t at_ns) {
  std::int64_t seen = arrived_ns_.load(std::memory_order_relaxed);
  while (at_ns > seen && !arrived_ns_.compare_exchange_weak(seen, at_ns, std::memory_order_relaxed)) {
  }
}

void EmulatedStream::enqueue(double s) { busy_until_ns_ = next_start_ns() + nanoseconds(s); }

void EmulatedStream::enqueue_behind(double s) { busy_until_ns_ += nanoseconds(s); }

void EmulatedStream::wait() { sleep_until_ns(busy_until_ns_); }

Device::Device(const Job& job, int local_rank) {
  if (job.device.is_emulated()) {
    emulated_.emplace();
    return;
  }
  if (job.device.is_cpu()) return;
  const c10::DeviceType type = c10::Device(job.device.text()).type();
  if (!c10::impl::hasDeviceGuardImpl(type)) {
    throw Error(
        fmt::format("this torch was built without support for '{}': use --device cpu, --device emulated:V100, "
                    "or an interpreter (--python FILE) whose torch has it",
                    job.device.text()));
  }
  const c10::impl::VirtualGuardImpl guard(type);
  const int count = guard.deviceCount();
  if (count == 0) {
    throw Error(
        fmt::format("no device of kind '{}' is visible: check the driver and CUDA_VISIBLE_DEVICES, or use "
                    "--device cpu or --device emulated:V100",
                    job.device.text()));
  }
  torch_device_ = c10::Device(type, static_cast<c10::DeviceIndex>(local_rank % count));
  guard.setDevice(torch_device_);
}

void synchronize_device(c10::Device device) {
  if (device.is_cpu()) return;
  const c10::impl::VirtualGuardImpl guard(device.type());
#ifdef STASH_GUARD_HAS_SYNCHRONIZE_DEVICE
  guard.synchronizeDevice(device.index());
#else
  guard.synchronizeStream(guard.getStream(device));
#endif
}

std::int64_t Device::finish_ns() {
  if (emulated_) {
    emulated_->wait();
    return emulated_->next_start_ns();
  }
  synchronize_device(torch_device_);
  return now_ns();
}

double Device::stop_s() {
  if (emulated_) emulated_->enqueue(kMoment_s);
  const std::int64_t done_ns = emulated_ ? emulated_->next_start_ns() : now_ns();
  return seconds(finish_ns() - done_ns);
}

at::Tensor Device::host_tensor(at::IntArrayRef shape, at::ScalarType type) {
  const at::TensorOptions options = at::TensorOptions().dtype(type);
  if (!is_accelerator()) return at::empty(shape, options);
  try {
    return at::empty(shape, options.pinned_memory(true));
  } catch (const c10::Error& error) {
    warnings_.push_back(
        fmt::format("memory could not be pinned ({}): copies to the device are slower than they need "
                    "be; raise the limit of locked memory (ulimit -l)",
                    error.what_without_backtrace()));
    return at::empty(shape, options);
  }
}

std::shared_ptr<void> Device::allocate_host(std::size_t bytes) {
  auto tensor = std::make_shared<at::Tensor>(host_tensor({static_cast<int64_t>(bytes)}, at::kByte));
  return {tensor, tensor->data_ptr()};
}

at::Tensor Device::host_copy(const at::Tensor& tensor) {
  return host_tensor(tensor.sizes(), tensor.scalar_type()).copy_(tensor);
}

}  // namespace stash
