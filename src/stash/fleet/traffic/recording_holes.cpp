#include "stash/fleet/traffic/recording_holes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "stash/core/units.h"

namespace stash {
namespace {

// A silence is a hole if traffic flowed steadily on its sides for this long, and it would have been this many requests.
constexpr double kSide_s = 600;
constexpr double kLeastSide_s = 60;
constexpr double kLeastMissing = 100;
constexpr double kLeastSilence_s = 60;
constexpr double kLongestHole_s = 3 * 3600;  // a longer silence is taken as what it looks like
constexpr double kSilencesShorter = 5;       // than this part of it are no reason to doubt that traffic flowed
constexpr double kPartlyRecorded = 0.5;      // of the usual count, in a slot beside a hole

struct Silence {
  std::size_t first = 0;
  std::size_t last = 0;  // inclusive
  std::size_t size() const { return last - first + 1; }
};

std::vector<Silence> silences_of(const LoadTrace& trace) {
  std::vector<Silence> found;
  const auto least = static_cast<std::size_t>(std::max(1.0, std::ceil(kLeastSilence_s / trace.slot_s)));
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    if (trace.requests[i] > 0 || trace.is_hole(i)) continue;
    std::size_t last = i;
    while (last + 1 < trace.requests.size() && trace.requests[last + 1] == 0 && !trace.is_hole(last + 1)) ++last;
    if (last - i + 1 >= least) found.push_back({i, last});
    i = last;
  }
  return found;
}

// Mean requests per slot beside a silence; nullopt: it was not steady, or nothing is known there. A slot that touches
// the silence may be recorded in part and is left out.
std::optional<double> flow_beside(const LoadTrace& trace, const Silence& silence, int direction) {
  const auto most = static_cast<std::size_t>(std::max(2.0, kSide_s / trace.slot_s));
  double sum = 0;
  std::size_t count = 0, quiet = 0, longest = 0;
  auto at = static_cast<std::int64_t>(direction < 0 ? silence.first : silence.last) + 2 * direction;
  for (; at >= 0 && at < static_cast<std::int64_t>(trace.requests.size()) && count < most; at += direction) {
    const auto slot = static_cast<std::size_t>(at);
    if (trace.is_hole(slot)) break;
    sum += trace.requests[slot];
    ++count;
    quiet = trace.requests[slot] == 0 ? quiet + 1 : 0;
    longest = std::max(longest, quiet);
  }
  if (static_cast<double>(count) * trace.slot_s < kLeastSide_s) return std::nullopt;
  if (static_cast<double>(longest) * kSilencesShorter > static_cast<double>(silence.size())) return 0;
  return sum / static_cast<double>(count);
}

// What usually comes in a slot of it; nullopt: it is no hole.
std::optional<double> usual_in(const LoadTrace& trace, const Silence& silence) {
  if (static_cast<double>(silence.size()) * trace.slot_s > kLongestHole_s) return std::nullopt;
  const auto before = flow_beside(trace, silence, -1), after = flow_beside(trace, silence, 1);
  if (!before && !after) return std::nullopt;
  const double usual = std::min(before.value_or(*(after ? after : before)), after.value_or(*(before ? before : after)));
  if (usual * static_cast<double>(silence.size()) < kLeastMissing) return std::nullopt;
  return usual;
}

void widen(const LoadTrace& trace, Silence& silence, double usual) {
  const auto is_partial = [&](std::size_t slot) { return trace.requests[slot] < kPartlyRecorded * usual; };
  if (silence.first > 0 && is_partial(silence.first - 1)) --silence.first;
  if (silence.last + 1 < trace.requests.size() && is_partial(silence.last + 1)) ++silence.last;
}

std::string moment_text(const LoadTrace& trace, std::size_t slot) {
  const double s = std::fmod(trace.begin_s, 86400) + static_cast<double>(slot) * trace.slot_s;
  const auto whole = static_cast<std::int64_t>(std::max(0.0, s));
  std::string text = fmt::format("day {}, {:02}:{:02}", whole / 86400 + 1, whole / 3600 % 24, whole / 60 % 60);
  if (trace.slot_s < 60) text += fmt::format(":{:02}", whole % 60);
  return text;
}

void say(LoadTrace& trace, const std::vector<Silence>& holes, std::string_view what) {
  if (holes.empty()) return;
  double slots = 0;
  for (const Silence& hole : holes) slots += static_cast<double>(hole.size());
  trace.warnings.push_back(fmt::format("{} in {} {} {} and are left out: {}{}", format_duration(slots * trace.slot_s),
                                       holes.size(), holes.size() == 1 ? "stretch" : "stretches", what,
                                       slots_text(trace, holes.front().first, holes.front().last),
                                       holes.size() > 1 ? ", …" : ""));
}

std::vector<Silence> missing_rows(const LoadTrace& trace) {
  std::vector<Silence> found;
  for (std::size_t i = 0; i < trace.holes.size(); ++i) {
    if (!trace.holes[i]) continue;
    if (!found.empty() && found.back().last + 1 == i) {
      found.back().last = i;
    } else {
      found.push_back({i, i});
    }
  }
  return found;
}

}  // namespace

std::string slots_text(const LoadTrace& trace, std::size_t first, std::size_t last) {
  return fmt::format("{} to {}", moment_text(trace, first), moment_text(trace, last + 1));
}

void mark_recording_holes(LoadTrace& trace) {
  say(trace, missing_rows(trace), "have no row");
  std::vector<Silence> holes, long_ones;
  for (Silence silence : silences_of(trace)) {
    const auto usual = usual_in(trace, silence);
    if (!usual) {
      if (static_cast<double>(silence.size()) * trace.slot_s > kLongestHole_s) long_ones.push_back(silence);
      continue;
    }
    widen(trace, silence, *usual);
    holes.push_back(silence);
  }
  if (!holes.empty() && trace.holes.empty()) trace.holes.resize(trace.requests.size());
  for (const Silence& hole : holes) {
    for (std::size_t slot = hole.first; slot <= hole.last; ++slot) {
      trace.holes[slot] = true;
      trace.requests[slot] = 0;
      if (!trace.peak_5s.empty()) trace.peak_5s[slot] = 0;
    }
  }
  say(trace, holes, "have no request amid steady traffic, so were not recorded,");
  if (!long_ones.empty()) {
    trace.warnings.push_back(fmt::format("no request for more than 3 hours in {} {}, taken as quiet: {}",
                                         long_ones.size(), long_ones.size() == 1 ? "stretch" : "stretches",
                                         slots_text(trace, long_ones.front().first, long_ones.front().last)));
  }
}

}  // namespace stash
