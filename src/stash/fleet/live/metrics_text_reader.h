#pragma once

#include <optional>
#include <string_view>

namespace stash {

// The sum of all series of a name in the text format of Prometheus; nullopt: there is none. Error where a value is no
// number. With `label`, only of series whose labels contain it: le="0.2".
std::optional<double> sum_of_metric(std::string_view text, std::string_view name, std::string_view label = "");

}  // namespace stash
