#include "stash/cli/flags/given_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

namespace stash {
namespace {

constexpr std::array<std::string_view, 2> kOfHosts{"--python", "--node-name"};

}  // namespace

std::map<std::string, std::string> given_flags(const CLI::App& app) {
  std::map<std::string, std::string> given;
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || std::ranges::find(kOfHosts, name) != kOfHosts.end()) continue;
    given[name] = fmt::format("{}", fmt::join(option->results(), ","));
  }
  return given;
}

}  // namespace stash
