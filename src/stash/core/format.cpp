#include "stash/core/format.h"

#include <vector>

#include "stash/core/error.h"

namespace stash {

std::string_view to_string(Format format) {
  constexpr std::array<std::string_view, 7> kNames{"text", "json", "csv", "markdown", "openmetrics", "html", "trace"};
  return kNames[static_cast<std::size_t>(format)];
}

Format parse_format(std::string_view name, std::span<const Format> formats) {
  std::vector<std::string_view> names;
  for (const Format format : formats) {
    if (to_string(format) == name) return format;
    names.push_back(to_string(format));
  }
  throw_unknown("--format", name, names);
}

}  // namespace stash
