#include "stash/launch/warning_book.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace stash {

void WarningBook::add(int rank, std::string text) {
  const auto same = std::ranges::find(entries_, text, &Entry::text);
  if (same != entries_.end()) {
    same->ranks.insert(rank);
  } else {
    entries_.push_back({std::move(text), {rank}});
  }
}

std::vector<std::string> WarningBook::lines(int ranks) const {
  std::vector<std::string> lines;
  for (const Entry& entry : entries_) {
    const bool all = entry.ranks.size() >= static_cast<std::size_t>(ranks);
    const char* noun = entry.ranks.size() == 1 ? "rank" : "ranks";
    lines.push_back(all ? entry.text : fmt::format("{} {}: {}", noun, fmt::join(entry.ranks, ", "), entry.text));
  }
  return lines;
}

}  // namespace stash
