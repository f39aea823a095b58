#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/core/units.h"
#include "stash/report/difference_report.h"
#include "stash/report/lines.h"
#include "stash/report/verdict.h"

namespace stash {

namespace {

std::string signed_duration(double s) { return fmt::format("{}{}", s > 0 ? "+" : "", format_duration(s)); }

std::string percent(double s, const Difference& difference, bool with_sign) {
  const std::optional<double> ratio = ratio_of_step(s, difference);
  if (!ratio) return "–";
  return with_sign ? fmt::format("{:+.1f}", *ratio * 100) : fmt::format("{:.1f}", *ratio * 100);
}

// Those that really changed, the largest first: "interconnect +3.2 ms, prep -0.4 ms".
std::string real_parts(const Difference& difference) {
  std::vector<Part> parts;
  std::copy_if(kParts.begin(), kParts.end(), std::back_inserter(parts), [&](Part p) { return difference[p].real; });
  std::stable_sort(parts.begin(), parts.end(), [&](Part a, Part b) {
    return std::abs(difference[a].change->s) > std::abs(difference[b].change->s);
  });
  std::string list;
  for (const Part part : parts) {
    list +=
        fmt::format("{}{} {}", list.empty() ? "" : ", ", to_string(part), signed_duration(difference[part].change->s));
  }
  return list;
}

// "4.1 % slower (3.0 to 5.2 %)".
std::string changed_step(const Difference& difference) {
  const Estimate& change = *difference.step.change;
  const bool slower = change.s > 0;
  const double low_s = slower ? change.low_s : -change.high_s, high_s = slower ? change.high_s : -change.low_s;
  return fmt::format("after is {} % {} ({} to {} %)", percent(std::abs(change.s), difference, false),
                     slower ? "slower" : "faster", percent(low_s, difference, false),
                     percent(high_s, difference, false));
}

std::string unchanged_step(const Difference& difference) {
  const Estimate& change = *difference.step.change;
  return fmt::format("the step changed by {} % ({} to {} %)", percent(change.s, difference, true),
                     percent(change.low_s, difference, true), percent(change.high_s, difference, true));
}

std::string sentence(const Difference& difference) {
  const std::string parts = real_parts(difference);
  if (difference.step.real) {
    return fmt::format("{}: {}", changed_step(difference), parts.empty() ? "no single part can be blamed" : parts);
  }
  if (parts.empty()) return fmt::format("no real difference: {}", unchanged_step(difference));
  return fmt::format("no real difference of the step, but of its parts: {}; {}", parts, unchanged_step(difference));
}

}  // namespace

std::string difference_verdict(const DifferencePage& page) {
  const std::string emulated = emulated_name(page.after.job);
  return fmt::format("{}{}{}", emulated, emulated.empty() ? "" : ": ", sentence(page.difference));
}

std::string limit_line(const DifferencePage& page) {
  if (!page.limit_ratio) return "";
  std::string list;
  for (const std::optional<Part> part : increases_over(page.difference, *page.limit_ratio)) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", part ? to_string(*part) : "the step");
  }
  const std::string limit = fmt::format("the limit of {:g} % of the step", *page.limit_ratio * 100);
  if (!list.empty()) return fmt::format("FAILED: over {}: {}", limit, list);
  const std::optional<double> found_ratio = ratio_of_step(surely_found_s(page.difference), page.difference);
  if (!found_ratio || *found_ratio <= *page.limit_ratio) return fmt::format("within {}", limit);
  return fmt::format("within {}, but only a change of {:.1f} % is surely found in windows that scatter like these",
                     limit, *found_ratio * 100);
}

std::vector<std::string> difference_warnings(const Difference& difference) {
  std::vector<std::string> warnings;
  for (const Mismatch& one : difference.jobs) {
    warnings.push_back(fmt::format("not the same job: {} was {}, is {}", one.what, one.before, one.after));
  }
  for (const Mismatch& one : difference.settings) {
    warnings.push_back(fmt::format("differs too: {} was {}, is {}", one.what, one.before, one.after));
  }
  warnings.insert(warnings.end(), difference.warnings.begin(), difference.warnings.end());
  const std::size_t all = warnings.size();
  warnings.resize(std::min(all, kMostWarnings));
  if (all > kMostWarnings) warnings.push_back(fmt::format("and {} warnings more", all - kMostWarnings));
  return warnings;
}

}  // namespace stash
