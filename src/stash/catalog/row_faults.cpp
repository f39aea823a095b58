#include "stash/catalog/row_faults.h"

#include <fmt/format.h>

#include <algorithm>

namespace stash {
namespace {

constexpr std::size_t kMostFaults = 10'000;
constexpr std::size_t kMostSentences = 50;  // a screen; what is wrong in more has one cause
constexpr std::size_t kLongestShownName = 100;

}  // namespace

void RowFaults::add(std::size_t place, std::string_view name, std::string_view problem) {
  std::string what = fmt::format("'{}' is left out: {}", name.substr(0, kLongestShownName), problem);
  if (faults_.size() >= kMostFaults && !faults_.contains(what)) return;
  Rows& rows = faults_.try_emplace(std::move(what), Rows{place, 0}).first->second;
  ++rows.count;
}

std::vector<std::string> RowFaults::sentences(std::string_view source, std::string_view unit) const {
  std::vector<std::pair<Rows, std::string_view>> sorted;
  for (const auto& [what, rows] : faults_) sorted.emplace_back(rows, what);
  std::ranges::sort(sorted, {}, [](const auto& fault) { return fault.first.first; });
  std::vector<std::string> sentences;
  for (const auto& [rows, what] : sorted) {
    if (sentences.size() == kMostSentences) {
      sentences.push_back(fmt::format("{}: {} more like these", source, sorted.size() - kMostSentences));
      break;
    }
    const std::string more = rows.count > 1 ? fmt::format(", and in {} more rows", rows.count - 1) : "";
    sentences.push_back(fmt::format("{} {} {}: {}{}", source, unit, rows.first, what, more));
  }
  return sentences;
}

}  // namespace stash
