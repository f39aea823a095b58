#pragma once

#include <optional>
#include <span>
#include <string>

#include "stash/report/html/sections.h"

namespace stash {

// A profile's file for a page that shows it beside something else.
class MeasuredFile {
 public:
  // An empty path: there is none. `instances` must outlive it.
  MeasuredFile(const std::string& path, std::span<const Instance> instances);
  MeasuredFile(const MeasuredFile&) = delete;

  const Measured* get() const { return measured_ ? &*measured_ : nullptr; }

 private:
  Profile profile_;
  Ledger ledger_;
  std::optional<Measured> measured_;  // points to the two
};

}  // namespace stash
