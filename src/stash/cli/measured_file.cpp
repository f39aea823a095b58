#include "stash/cli/measured_file.h"

#include "stash/attribute/attribute.h"
#include "stash/core/profile_json.h"

namespace stash {

MeasuredFile::MeasuredFile(const std::string& path, std::span<const Instance> instances) {
  if (path.empty()) return;
  profile_ = read_profile(path);
  ledger_ = attribute(profile_);
  measured_.emplace(profile_, ledger_, std::nullopt, instances);
}

}  // namespace stash
