#include "stash/measure/copy_sweep.h"

#include <algorithm>
#include <array>

#include "stash/core/clock.h"
#include "stash/core/statistics.h"

namespace stash {
namespace {

// The smallest shows what a copy costs at all, the largest the rate of the slot.
constexpr std::array<std::int64_t, 3> kSizes{64 << 10, 4 << 20, 64 << 20};
constexpr int kRepeats = 5;
constexpr double kCopyBatch_s = 2e-3;  // copies are timed together until they take this long
constexpr int kMostCopies = 50;

double time_s(Device& device, at::Tensor& to, const at::Tensor& from, int copies) {
  device.synchronize();
  const std::int64_t start_ns = now_ns();
  for (int i = 0; i < copies; ++i) to.copy_(from, /*non_blocking=*/true);
  device.synchronize();
  return seconds(now_ns() - start_ns) / copies;
}

LinkTime timed(Device& device, const char* op, at::Tensor& to, const at::Tensor& from) {
  time_s(device, to, from, 1);  // pages, streams
  const double once_s = time_s(device, to, from, 1);
  const int copies = std::clamp(static_cast<int>(kCopyBatch_s / std::max(once_s, 1e-9)), 1, kMostCopies);
  std::vector<double> times_s;
  for (int i = 0; i < kRepeats; ++i) times_s.push_back(time_s(device, to, from, copies));
  const auto [low, high] = std::minmax_element(times_s.begin(), times_s.end());
  return {.scope = "host",
          .op = op,
          .ranks = 1,
          .bytes = from.numel(),
          .repeats = kRepeats,
          .s = median(times_s),
          .low_s = *low,
          .high_s = *high};
}

}  // namespace

std::vector<LinkTime> time_copies(Device& device) {
  if (!device.is_accelerator()) return {};
  std::vector<LinkTime> rows;
  for (const std::int64_t bytes : kSizes) {
    at::Tensor pageable = at::zeros({bytes}, at::TensorOptions().dtype(at::kByte));
    at::Tensor pinned = device.host_copy(pageable);
    at::Tensor remote = at::zeros({bytes}, at::TensorOptions().dtype(at::kByte).device(device.torch_device()));
    rows.push_back(timed(device, "to_device,pinned", remote, pinned));
    rows.push_back(timed(device, "to_device,pageable", remote, pageable));
    rows.push_back(timed(device, "to_host,pinned", pinned, remote));
    rows.push_back(timed(device, "to_host,pageable", pageable, remote));
  }
  return rows;
}

}  // namespace stash
