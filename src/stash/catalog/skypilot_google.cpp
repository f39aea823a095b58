#include "stash/catalog/skypilot_google.h"

#include <fmt/format.h>

#include "stash/core/words.h"

namespace stash {
namespace {

// Google's own file has 2,500 rows of accelerators and 700 of machines that have GPUs.
constexpr std::size_t kMostRows = 200'000;

// SkyPilot's names where they are not the catalogue's.
std::string skypilot_gpu(const Instance& machine) {
  if (lower_case(machine.name) == "a3-megagpu-8g") return "H100-MEGA";
  return machine.gpu == "RTX PRO Server 6000" ? "RTXPRO6000" : machine.gpu;
}

std::string key_of(std::string_view gpu, int count, std::string_view zone) {
  return fmt::format("{}|{}|{}", lower_case(gpu), count, zone);
}

std::optional<double> sum_if_both(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b ? std::optional(*a + *b) : std::nullopt;
}

}  // namespace

void GooglePrices::take_machine(const Instance& known, const VmsRow& row) {
  if (known.cloud != "google" || row.price.empty() || machines_.size() >= kMostRows) return;
  // 0: the price of its GPUs holds it.
  const double usd_per_h = parse_figure(row.price).value_or(0);
  const auto spot = row.spot_price.empty() ? std::nullopt : std::optional(parse_figure(row.spot_price).value_or(0));
  machines_.push_back({&known, std::string(row.availability_zone), {usd_per_h, spot, std::string(row.region)}});
}

void GooglePrices::take_gpus(const VmsRow& row) {
  const double count = parse_figure(row.accelerator_count).value_or(0);
  const double usd_per_h = parse_figure(row.price).value_or(0);
  if (count < 1 || count > kMostGpusOfVmsRow || usd_per_h == 0 || gpus_.size() >= kMostRows) return;
  gpus_[key_of(row.accelerator_name, static_cast<int>(count), row.availability_zone)] = {
      usd_per_h, parse_figure(row.spot_price), std::string(row.region)};
}

std::vector<GooglePrices::Price> GooglePrices::joined() const {
  std::vector<Price> prices;
  for (const Machine& machine : machines_) {
    const auto found = gpus_.find(key_of(skypilot_gpu(*machine.known), machine.known->gpus, machine.zone));
    if (found == gpus_.end()) continue;
    SkypilotPrice price = found->second;
    price.spot_usd_per_h = sum_if_both(price.spot_usd_per_h, machine.price.spot_usd_per_h);
    price.usd_per_h += machine.price.usd_per_h;
    prices.push_back({machine.known, price});
  }
  return prices;
}

}  // namespace stash
