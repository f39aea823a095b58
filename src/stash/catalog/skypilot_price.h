#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stash {

// What an instance costs in one place.
struct SkypilotPrice {
  double usd_per_h = 0;
  std::optional<double> spot_usd_per_h;
  std::string region;
};

bool is_us_region(std::string_view region);  // us-east-1, eastus2, us-ashburn-1; not the government's

// Whether `a` is to be taken over `b`: in the US, cheaper, cheaper on the spot market.
bool is_better(const SkypilotPrice& a, const SkypilotPrice& b);

// A number above 0 and within what a catalogue may hold; nullopt for anything else.
std::optional<double> parse_figure(std::string_view text);

}  // namespace stash
