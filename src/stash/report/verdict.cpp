#include "stash/report/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "stash/core/stall.h"
#include "stash/core/units.h"
#include "stash/core/words.h"

namespace stash {

namespace {

constexpr double kAlsoNamedRatio = 0.05;  // a stall below it is not worth a place beside the headline

// Largest first.
std::vector<Stall> stalls_of(const Ledger& ledger) {
  std::vector<Stall> stalls;
  for (const Part part : kParts) {
    if (part != Part::compute && ledger[part]) stalls.push_back({part, *ledger[part], ledger.step.s});
  }
  std::stable_sort(stalls.begin(), stalls.end(), [](const Stall& a, const Stall& b) { return a.time.s > b.time.s; });
  return stalls;
}

// Both times in the unit of the whole: "37.2 of 90.1 ms".
std::string part_of(double s, double whole_s) {
  const std::string whole = format_duration(whole_s);
  const std::string_view unit = std::string_view(whole).substr(whole.find(' ') + 1);
  const double factor = unit == "s" ? 1 : unit == "ms" ? 1e3 : unit == "µs" ? 1e6 : 0;
  if (factor == 0) return fmt::format("{} of {}", format_duration(s), whole);
  const double value = s * factor;
  return fmt::format("{:.{}f} of {}", value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, whole);
}

std::string whole_percent(double ratio) {
  return fmt::format("{:.{}f} %", ratio * 100, std::abs(ratio) < 0.0095 ? 1 : 0);
}

class Sentence {
 public:
  explicit Sentence(const Ledger& ledger) : ledger_(ledger), stalls_(stalls_of(ledger)) {}

  std::string text() const {
    if (!(ledger_.step.s > 0)) return "the step took no time: nothing was measured";
    if (stalls_.empty()) return fmt::format("a step takes {}; no stall was measured", format_duration(ledger_.step.s));
    const auto certain = std::find_if(stalls_.begin(), stalls_.end(), [&](const Stall& stall) {
      return differs_from_zero(stall.time) && stall.time.s > 0;
    });
    if (certain == stalls_.end()) return nothing_certain();
    return ratio(certain->time) >= kMattersRatio ? headline(*certain) : only_compute(*certain);
  }

 private:
  double ratio(const Estimate& estimate) const { return estimate.s / ledger_.step.s; }

  std::string compute(std::string_view before) const {
    const auto& time = ledger_[Part::compute];
    return time ? fmt::format("{}compute {}", before, whole_percent(ratio(*time))) : "";
  }

  std::string headline(const Stall& largest) const {
    std::string others;
    for (const Stall& stall : stalls_) {
      const bool named =
          stall.part != largest.part && differs_from_zero(stall.time) && ratio(stall.time) >= kAlsoNamedRatio;
      if (named)
        others += fmt::format("{}{} {}", others.empty() ? "; " : ", ", to_string(stall.part),
                              whole_percent(ratio(stall.time)));
    }
    return fmt::format("{} costs {} of every step ({}){}{}", to_string(largest.part),
                       whole_percent(ratio(largest.time)), part_of(largest.time.s, ledger_.step.s), others,
                       compute(others.empty() ? "; " : ", "));
  }

  std::string only_compute(const Stall& largest) const {
    return fmt::format("nothing but compute matters: the largest stall, {}, costs {} of every step ({}){}",
                       to_string(largest.part), whole_percent(ratio(largest.time)),
                       part_of(largest.time.s, ledger_.step.s), compute("; "));
  }

  std::string nothing_certain() const {
    const Stall& largest = stalls_.front();
    return fmt::format("no stall is distinguishable from zero: the largest, {}, is {} ±{} in a step of {}{}",
                       to_string(largest.part), format_duration(largest.time.s),
                       format_duration(half_width_s(largest.time)), format_duration(ledger_.step.s), compute("; "));
  }

  const Ledger& ledger_;
  std::vector<Stall> stalls_;
};

}  // namespace

std::string emulated_name(const Job& job) {
  return job.device.is_emulated() ? "emulated " + upper_case(job.device.gpu()) : "";
}

std::string verdict(const Ledger& ledger) { return Sentence(ledger).text(); }

std::string verdict(const Profile& profile, const Ledger& ledger) {
  const std::string emulated = emulated_name(profile.job);
  return (emulated.empty() ? "" : emulated + ": ") + verdict(ledger);
}

}  // namespace stash
