#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stash/share/supply_curve.h"

namespace stash {

// How the throughput of a published job depends on its CPUs; rates are relative to those with 3 CPUs per GPU.
struct PublishedCurve {
  std::string kind;  // vision, speech, language
  SupplyCurve curve;
  std::string source;
};

// The rows of catalog/cpu_sensitivity.csv; between its CPU counts rates are interpolated.
const std::vector<PublishedCurve>& published_curves();
const SupplyCurve& published_curve(std::string_view model);  // UsageError names the nearest
std::vector<PublishedCurve> parse_curves(std::string_view text, std::string_view source);

// Those of these kinds, "vision,speech"; UsageError names the nearest.
std::vector<std::vector<SupplyCurve>> curves_of_kinds(std::string_view kinds);

}  // namespace stash
