#include "stash/launch/cluster/slurm_lists.h"

#include <charconv>

namespace stash {
namespace {

constexpr int kMostNodes = 100'000;

bool read_number(std::string_view& text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool skip(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

}  // namespace

std::string first_slurm_host(std::string_view list) {
  std::string host;
  while (!list.empty() && list.front() != ',') {
    if (list.front() != '[') {
      host += list.front();
      list.remove_prefix(1);
      continue;
    }
    list.remove_prefix(1);
    const std::size_t end = list.find(']');
    if (end == std::string_view::npos) return "";
    host += list.substr(0, std::min(list.find_first_of("-,"), end));
    list.remove_prefix(end + 1);
  }
  return host;
}

std::vector<int> slurm_tasks_per_node(std::string_view list) {
  std::vector<int> tasks;
  while (true) {
    int count = 0, times = 1;
    if (!read_number(list, count)) return {};
    if (skip(list, "(x") && (!read_number(list, times) || !skip(list, ")"))) return {};
    if (times > kMostNodes - static_cast<int>(tasks.size())) return {};
    tasks.insert(tasks.end(), static_cast<std::size_t>(times), count);
    if (list.empty()) return tasks;
    if (!skip(list, ",")) return {};
  }
}

}  // namespace stash
