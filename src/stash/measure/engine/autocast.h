#pragma once

#include <ATen/autocast_mode.h>

#include <string>

namespace stash {

// Mixed precision as torch.autocast has it, while it lives.
class Autocast {
 public:
  Autocast(c10::DeviceType type, const std::string& dtype) : type_(type), on_(dtype != "fp32") {
    if (!on_) return;
    at::autocast::set_autocast_dtype(type_, dtype == "bf16" ? at::kBFloat16 : at::kHalf);
    at::autocast::set_autocast_enabled(type_, true);
    at::autocast::increment_nesting();
  }
  ~Autocast() {
    if (!on_) return;
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(type_, false);
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  c10::DeviceType type_;
  bool on_;
};

}  // namespace stash
