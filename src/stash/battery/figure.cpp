#include "stash/battery/figure.h"

#include <algorithm>
#include <cmath>

#include "stash/core/json_fields.h"
#include "stash/core/profile_json.h"
#include "stash/core/statistics.h"
#include "stash/core/version.h"

namespace stash {

namespace {

constexpr int kFiguresSchemaVersion = 1;
constexpr double kTail = 0.025;

// The largest k with P(fewer than k of n coin tosses show heads) <= kTail: the k-th smallest and the k-th largest
// sample hold the median with 95 %. 0: n is too small.
std::size_t order_of_bounds(std::size_t n) {
  double term = std::pow(0.5, static_cast<double>(n));
  double sum = 0;
  std::size_t k = 0;
  while (sum + term <= kTail) {
    sum += term;
    term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    ++k;
  }
  return k;
}

}  // namespace

template <class V, json_fields::FieldsOf<Figure> T>
void fields(V& visit, T& figure) {
  visit("name", figure.name);
  visit("setting", figure.setting);
  visit("unit", figure.unit);
  visit("samples", figure.samples);
  visit("median", figure.median);
  visit("low", figure.low);
  visit("high", figure.high);
  visit.or_default("why_absent", figure.why_absent);
}

Figure make_figure(std::string name, std::string setting, std::string unit, std::vector<double> samples) {
  std::vector<double> sorted = samples;
  std::ranges::sort(sorted);
  const std::size_t k = std::max<std::size_t>(order_of_bounds(sorted.size()), 1);
  return {.name = std::move(name),
          .setting = std::move(setting),
          .unit = std::move(unit),
          .samples = std::move(samples),
          .median = median(sorted),
          .low = sorted[k - 1],
          .high = sorted[sorted.size() - k],
          .why_absent = {}};
}

Figure absent_figure(std::string name, std::string setting, std::string unit, std::string why) {
  Figure figure;
  figure.name = std::move(name);
  figure.setting = std::move(setting);
  figure.unit = std::move(unit);
  figure.why_absent = std::move(why);
  return figure;
}

const Figure* find_figure(const std::vector<Figure>& figures, std::string_view name, std::string_view setting) {
  const auto found = std::ranges::find_if(
      figures, [&](const Figure& figure) { return figure.name == name && figure.setting == setting; });
  return found == figures.end() ? nullptr : &*found;
}

std::string to_json_text(const std::vector<Figure>& figures) {
  const nlohmann::json json{
      {"schema_version", kFiguresSchemaVersion}, {"tool", tool_json()}, {"figures", json_fields::write(figures)}};
  return dump_json(json, 1) + "\n";
}

std::vector<Figure> figures_from_json_text(std::string_view text) {
  const nlohmann::json json = parse_json(text, "the machine's figures");
  const json_fields::Path path{nullptr, "figures"};
  json_fields::check_object(json, json_fields::Path{nullptr, ""});
  const nlohmann::json* found = json_fields::find(json, "figures");
  if (found == nullptr) json_fields::fail(path, "is missing");
  std::vector<Figure> figures;
  json_fields::read(*found, path, figures);
  return figures;
}

}  // namespace stash
