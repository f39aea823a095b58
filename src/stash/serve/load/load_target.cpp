#include "stash/serve/load/load_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "stash/core/error.h"

namespace stash {
namespace {

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  throw UsageError(
      fmt::format("'{}' {}; an address is like localhost:8000/resnet50 or http://localhost:8000/predict", text, why));
}

void check_port(std::string_view text, std::string_view port) {
  int number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (error != std::errc() || end != port.data() + port.size() || number < 1 || number > 65535) {
    refuse(text, "has no port from 1 to 65535");
  }
}

bool is_plain(char c) { return c > ' ' && c < '\x7f'; }

}  // namespace

std::string LoadTarget::authority() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

LoadTarget parse_load_target(std::string_view text) {
  constexpr std::string_view kScheme = "http://";
  if (!std::ranges::all_of(text, is_plain)) refuse(text, "holds blanks or control characters");
  if (text.starts_with("https://")) refuse(text, "needs TLS, which is not supported");
  const bool is_address = text.starts_with(kScheme);
  const std::string_view rest = is_address ? text.substr(kScheme.size()) : text;
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view place = rest.substr(0, slash);
  LoadTarget target;
  const std::size_t colon = place.rfind(':');
  if (colon != std::string_view::npos && place.find(']', colon) == std::string_view::npos) {
    target.port = place.substr(colon + 1);
    check_port(text, target.port);
    place = place.substr(0, colon);
  } else if (!is_address) {
    refuse(text, "has no port");
  }
  if (place.starts_with('[') && place.ends_with(']')) place = place.substr(1, place.size() - 2);
  if (place.empty()) refuse(text, "names no host");
  target.host = place;
  target.path = slash < rest.size() ? rest.substr(slash) : "/";
  if (is_address) return target;
  target.model = target.path.substr(1);
  if (target.model.empty()) refuse(text, "names no model");
  target.path = fmt::format("/v2/models/{}/infer", target.model);
  return target;
}

}  // namespace stash
