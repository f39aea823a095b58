#include "stash/report/advice_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

namespace stash {

namespace {

constexpr double kNearlyAll = 0.995;  // from here on a rounded percentage would say certain
constexpr double kNearlyNone = 0.01;  // and below this impossible

// "2 to 9, 11" of 2, 3, ... 9 and 11.
std::string ranges_of(std::vector<int> numbers) {
  std::ranges::sort(numbers);
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", numbers[i]);
    if (last > i) text += fmt::format("{}{}", last > i + 1 ? " to " : ", ", numbers[last]);
    i = last + 1;
  }
  return text;
}

void set_places(const Advice& advice, std::vector<AdviceRow>& rows) {
  const auto group_of = [&](std::size_t row) { return advice.ranked[rows[row].option].group; };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!group_of(i)) continue;
    const bool follows = i > 0 && group_of(i - 1) == group_of(i);
    const bool leads = i + 1 < rows.size() && group_of(i + 1) == group_of(i);
    if (leads) rows[i].place = follows ? AdviceRow::inside : AdviceRow::top;
    if (follows && !leads) rows[i].place = AdviceRow::bottom;
  }
}

}  // namespace

std::vector<AdviceRow> advice_rows(const Advice& advice) {
  std::vector<AdviceRow> rows;
  std::map<std::tuple<int, std::string_view, std::string_view>, std::size_t> places;
  for (std::size_t i = 0; i < advice.ranked.size(); ++i) {
    const Option& option = advice.ranked[i];
    if (option.group) {
      const auto key = std::tuple(*option.group, std::string_view(option.prediction.cloud),
                                  std::string_view(option.prediction.instance));
      const auto [place, is_new] = places.try_emplace(key, rows.size());
      if (!is_new) {
        rows[place->second].folded.push_back(i);
        continue;
      }
    }
    rows.push_back({.option = i, .folded = {}, .other_nodes = {}});
  }
  for (AdviceRow& row : rows) {
    const Option& option = advice.ranked[row.option];
    row.certainty_ratio = option.meets_ratio.value_or(option.first_ratio);
    std::vector<int> nodes;
    for (const std::size_t i : row.folded) {
      nodes.push_back(advice.ranked[i].prediction.nodes);
      if (!option.meets_ratio) row.certainty_ratio += advice.ranked[i].first_ratio;
    }
    row.other_nodes = ranges_of(std::move(nodes));
  }
  set_places(advice, rows);
  return rows;
}

std::string probability_text(double ratio) {
  if (ratio >= kNearlyAll) return "over 99 %";
  if (ratio < kNearlyNone) return "under 1 %";
  return fmt::format("{:.0f} %", std::floor(ratio * 100));
}

std::string probability_cell(double ratio) {
  if (ratio >= kNearlyAll) return ">99 %";
  return ratio < kNearlyNone ? "<1 %" : probability_text(ratio);
}

}  // namespace stash
