#include "stash/report/cells.h"

#include "stash/core/price.h"

namespace stash {

std::string usd_cell(std::optional<double> usd) { return usd ? format_price_cell(*usd) : kUnknown; }

}  // namespace stash
