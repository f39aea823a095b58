#include "stash/report/cells.h"

#include <fmt/format.h>

namespace stash {

std::string usd_cell(std::optional<double> usd) {
  return usd ? fmt::format("{:.{}f}", *usd, *usd < 0.1 ? 4 : 2) : kUnknown;
}

}  // namespace stash
