#include "stash/core/job_device.h"

#include <utility>

namespace stash {
namespace {

constexpr std::string_view kEmulated = "emulated:";

}  // namespace

JobDevice::JobDevice(std::string text) : text_(std::move(text)) {
  if (text_ == "cpu") kind_ = Kind::cpu;
  if (text_ == "cuda" || text_.starts_with("cuda:")) kind_ = Kind::cuda;
  if (text_.starts_with(kEmulated)) kind_ = Kind::emulated;
}

JobDevice JobDevice::emulated(std::string_view gpu) { return std::string(kEmulated) + std::string(gpu); }

std::string JobDevice::gpu() const { return is_emulated() ? text_.substr(kEmulated.size()) : ""; }

}  // namespace stash
