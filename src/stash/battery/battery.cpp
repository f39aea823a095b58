#include "stash/battery/battery.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "stash/core/error.h"
#include "stash/core/same_job.h"
#include "stash/core/words.h"
#include "stash/models/models.h"

namespace stash {
namespace {

// The models of the Stash study (ICDCS 2023), as it divides them.
constexpr std::array<std::string_view, 5> kSmall{"alexnet", "resnet18", "shufflenet_v2_x0_5", "mobilenet_v2",
                                                 "squeezenet1_0"};
constexpr std::array<std::string_view, 3> kLarge{"resnet50", "vgg11", "bert_large"};

// More would be weeks, and is a slip of the keyboard.
constexpr std::size_t kMostCases = 10'000;

void add(std::vector<std::string>& models, std::string_view name) {
  if (std::ranges::find(models, name) == models.end()) models.emplace_back(name);
}

void add_named(std::vector<std::string>& models, const std::string& name) {
  const bool all = name == "all";
  if (all || name == "small") std::ranges::for_each(kSmall, [&](std::string_view model) { add(models, model); });
  if (all || name == "large") std::ranges::for_each(kLarge, [&](std::string_view model) { add(models, model); });
  if (all || name == "small" || name == "large") return;
  make_model(name);  // names the nearest where there is none
  add(models, name);
}

// The values by how much each tells: the first of `first`, then the smallest and the largest, then the others.
std::vector<int> by_worth(std::vector<int> values, bool middle_first, bool largest_first) {
  std::ranges::sort(values);
  const auto [last, end] = std::ranges::unique(values);
  values.erase(last, end);
  std::vector<int> order;
  const auto take = [&](std::size_t place) {
    order.push_back(values[place]);
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(place));
  };
  if (!values.empty()) take(middle_first ? (values.size() - 1) / 2 : largest_first ? values.size() - 1 : 0);
  while (!values.empty()) {
    take(0);
    if (!values.empty()) take(values.size() - 1);
  }
  return order;
}

struct Placed {
  std::tuple<std::size_t, std::size_t, std::size_t, std::size_t> level;  // steps away from the middle, then by axis
  Combination combination;
};

void add_model(std::vector<Placed>& placed, const std::string& model, const Axes& axes) {
  const std::vector<int> batches =
      by_worth(axes.batches.empty() ? default_batches(make_model(model).input) : axes.batches, true, false);
  const std::vector<int> ranks = by_worth(axes.ranks, false, true);
  const std::vector<int> nodes = by_worth(axes.nodes, false, false);
  if (batches.size() * ranks.size() * nodes.size() * axes.models.size() > kMostCases) {
    throw UsageError(fmt::format("more than {} cases: take fewer models, batches, ranks or nodes", kMostCases));
  }
  for (std::size_t b = 0; b < batches.size(); ++b) {
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      for (std::size_t n = 0; n < nodes.size(); ++n) {
        placed.push_back({{b + r + n, b, r, n}, {model, batches[b], ranks[r], nodes[n]}});
      }
    }
  }
}

std::string file_part(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    result += upper ? static_cast<char>(c - 'A' + 'a') : plain ? c : '-';
  }
  return result;
}

std::string machines_text(const std::optional<int>& machines) {
  if (!machines) return "one machine without a launcher";
  return fmt::format("{} machine{} under a launcher", *machines, *machines == 1 ? "" : "s");
}

}  // namespace

std::vector<std::string> parse_models(const std::string& list) {
  std::vector<std::string> models;
  // A GPT's size has commas of its own: gpt:layers=24,hidden=2048.
  if (list.starts_with("gpt:")) {
    add_named(models, list);
    return models;
  }
  for (const std::string& name : split_list(list)) add_named(models, name);
  if (models.empty()) throw UsageError("--models is empty: it takes names like resnet18,vgg11, or small, large, all");
  return models;
}

std::vector<int> default_batches(InputKind input) {
  if (input == InputKind::images) return {32, 64, 128};
  return {4, 8};
}

std::vector<Combination> ordered_combinations(const Axes& axes) {
  std::vector<Placed> placed;
  for (const std::string& model : axes.models) add_model(placed, model, axes);
  std::ranges::stable_sort(placed, {}, &Placed::level);
  std::vector<Combination> order;
  for (Placed& one : placed) order.push_back(std::move(one.combination));
  return order;
}

std::string case_name(const Job& job, int nodes) {
  return fmt::format("{}-b{}-r{}-n{}-{}-{}", file_part(job.model), job.batch, job.ranks, nodes,
                     file_part(job.device.text()), job.dtype);
}

bool is_of_case(const Case& wanted, const Job& measured, int nodes) {
  const MayDiffer may_differ = wanted.job.data.empty() ? kAcrossBudgetsAndData : kAcrossBudgets;
  return nodes == wanted.nodes && is_same_job(wanted.job, measured, may_differ);
}

void check_same_machines(const Battery& battery, const Battery& older, const std::string& folder) {
  if (battery.machines == older.machines || older.cases.empty()) return;
  throw UsageError(fmt::format("'{}' holds cases of {}, and this call is of {}: name another folder with --out", folder,
                               machines_text(older.machines), machines_text(battery.machines)));
}

Battery merged(Battery newer, const Battery& older) {
  for (const Case& one : older.cases) {
    const auto same = [&](const Case& other) { return other.name == one.name; };
    if (std::ranges::none_of(newer.cases, same)) newer.cases.push_back(one);
  }
  if (!newer.usd_per_h) newer.usd_per_h = older.usd_per_h;
  if (!newer.epoch_samples) newer.epoch_samples = older.epoch_samples;
  if (newer.instance.empty()) newer.instance = older.instance;
  return newer;
}

}  // namespace stash
