#include "stash/fleet/traffic/trace_slots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "stash/core/units.h"

namespace stash {
namespace {

constexpr std::size_t kMostSlots = 40'000'000;  // a year of seconds, 160 MB
constexpr double kSlotTolerance = 1e-3;         // of a slot

std::uint32_t counted(double value) {
  return static_cast<std::uint32_t>(
      std::clamp(value + 0.5, 0.0, static_cast<double>(std::numeric_limits<std::uint32_t>::max())));
}

}  // namespace

std::optional<std::size_t> TraceSlots::place(double at_s, std::string& fault) {
  const double slot = std::floor(at_s / slot_s_ + kSlotTolerance);
  if (requests_.empty()) base_ = slot;
  const double before = base_ - slot;
  const double size = before > 0 ? before + static_cast<double>(requests_.size()) : slot - base_ + 1;
  if (size > static_cast<double>(kMostSlots)) {
    fault = fmt::format("is {} away from the other rows, which is too far",
                        format_duration(std::max(before, size) * slot_s_));
    return std::nullopt;
  }
  if (before > 0) {
    const auto added = static_cast<std::size_t>(before);
    requests_.insert(requests_.begin(), added, 0);
    peaks_.insert(peaks_.begin(), added, 0);
    seen_.insert(seen_.begin(), added, false);
    base_ = slot;
  }
  const auto index = static_cast<std::size_t>(slot - base_);
  if (index >= requests_.size()) {
    requests_.resize(index + 1, 0);
    peaks_.resize(index + 1, 0);
    seen_.resize(index + 1, false);
  }
  return index;
}

std::string TraceSlots::add(const CountedRow& row) {
  if (row.requests < 0) return fmt::format("{:g} requests are fewer than none", row.requests);
  if (row.requests > kMostPerSecond * slot_s_) {
    return fmt::format("{:g} requests within {} are absurd", row.requests, format_duration(slot_s_));
  }
  if (row.peak_5s && !(*row.peak_5s >= 0 && *row.peak_5s <= row.requests)) {
    return fmt::format("the busiest 5 s have {:g} requests, and the whole row {:g}", *row.peak_5s, row.requests);
  }
  const double phase_s = row.at_s - std::floor(row.at_s / slot_s_ + kSlotTolerance) * slot_s_;
  if (!phase_s_) phase_s_ = phase_s;
  if (std::abs(phase_s - *phase_s_) > kSlotTolerance * slot_s_) {
    return fmt::format("is not a whole number of {} after the rows before it", format_duration(slot_s_));
  }
  std::string fault;
  const auto index = place(row.at_s, fault);
  if (!index) return fault;
  requests_[*index] = counted(requests_[*index] + row.requests);
  seen_[*index] = true;
  if (row.peak_5s) {
    has_peaks_ = true;
    peaks_[*index] = counted(peaks_[*index] + *row.peak_5s);
  }
  return "";
}

std::string TraceSlots::add_request(double at_s) {
  std::string fault;
  if (const auto index = place(at_s, fault)) ++requests_[*index];
  return fault;
}

LoadTrace TraceSlots::take(bool rows_are_counts) {
  LoadTrace trace{.slot_s = slot_s_, .requests = std::move(requests_), .begin_s = begin_s() + phase_s_.value_or(0)};
  if (has_peaks_) trace.peak_5s = std::move(peaks_);
  if (rows_are_counts && std::ranges::find(seen_, false) != seen_.end()) {
    seen_.flip();
    trace.holes = std::move(seen_);
  }
  return trace;
}

}  // namespace stash
