#include "stash/cli/flags/usd_flag.h"

#include <CLI/CLI.hpp>

#include "stash/core/units.h"

namespace stash {

void UsdFlag::add_to(CLI::App& app, const std::string& help) { app.add_option(name_, text_, help)->type_name("USD"); }

std::optional<double> UsdFlag::get() const {
  if (!text_) return std::nullopt;
  return least_ == Least::from_0 ? parse_usd_or_0(*text_, name_) : parse_usd(*text_, name_);
}

}  // namespace stash
