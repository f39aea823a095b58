#include "stash/fleet/live/metrics_text_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "stash/core/error.h"

namespace stash {

std::optional<double> sum_of_metric(std::string_view text, std::string_view name, std::string_view label) {
  std::optional<double> sum;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with(name)) continue;
    line.remove_prefix(name.size());
    std::string_view labels;
    if (line.starts_with('{')) {
      const std::size_t close = line.rfind('}');
      if (close == std::string_view::npos) continue;
      labels = line.substr(1, close - 1);
      line.remove_prefix(close + 1);
    }
    if (!line.starts_with(' ')) continue;  // another, longer name
    if (!label.empty() && labels.find(label) == std::string_view::npos) continue;
    const std::string value(line.substr(1));
    char* rest = nullptr;
    const double number = std::strtod(value.c_str(), &rest);
    if (rest == value.c_str() || !std::isfinite(number)) {
      throw Error(fmt::format("the metrics say that {} is '{}'", name, value.substr(0, 40)));
    }
    sum = sum.value_or(0) + number;
  }
  return sum;
}

}  // namespace stash
