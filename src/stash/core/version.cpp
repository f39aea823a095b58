#include "stash/core/version.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

namespace stash {

std::string version_text() {
  return std::string_view(kRevision).empty() ? kVersion : fmt::format("{} ({})", kVersion, kRevision);
}

nlohmann::json tool_json() {
  nlohmann::json json{{"name", "stash"}, {"version", kVersion}, {"revision", nullptr}};
  if (!std::string_view(kRevision).empty()) json["revision"] = kRevision;
  return json;
}

}  // namespace stash
