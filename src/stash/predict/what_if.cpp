#include "stash/predict/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <set>

#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/core/words.h"
#include "stash/predict/cluster.h"
#include "stash/predict/step_job.h"

namespace stash {
namespace {

constexpr double kMostCores = 1e6;
constexpr int kMostBlocking = 1000;
constexpr int kMostWorkersOfGpu = 1 << 12;
constexpr std::array<std::string_view, 6> kAllReduces{"quickest", "ring", "tree", "hierarchical", "server", "gather"};

double positive_number(std::string_view value, std::string_view option) {
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || !(number > 0) || number > kMostCores) {
    throw UsageError(fmt::format("{}={}: takes a number above 0, like 16", option, value));
  }
  return number;
}

int whole_number(std::string_view value, std::string_view option, int most) {
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < 1 || number > most) {
    throw UsageError(fmt::format("{}={}: takes a whole number from 1 to {}", option, value, most));
  }
  return number;
}

double positive_rate(std::string_view value, std::string_view option) {
  const double rate = parse_bytes_per_s(value, option);
  if (!(rate > 0)) throw UsageError(fmt::format("{}={}: takes a rate above 0, like 10Gbit/s", option, value));
  return rate;
}

AllReduce parse_all_reduce(std::string_view value, std::string_view option) {
  const auto found = std::ranges::find(kAllReduces, value);
  if (found == kAllReduces.end()) throw_unknown(option, value, kAllReduces);
  return static_cast<AllReduce>(found - kAllReduces.begin());
}

// A kind of link, or a rate.
void set_links(WhatIf& what_if, std::string_view value, std::string_view option) {
  if (!value.empty() && std::isdigit(static_cast<unsigned char>(value.front()))) {
    what_if.link_bytes_per_s = positive_rate(value, option);
  } else {
    what_if.links = parse_gpu_links(value);
  }
}

void set_ranks(WhatIf& what_if, std::string_view value, std::string_view option) {
  what_if.ranks = whole_number(value, option, kMostRanksPerNode);
}

int gpu_number(std::string_view text, std::string_view option) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0 || number >= kMostRanksPerNode) {
    throw UsageError(fmt::format("{}: '{}' is no number of a GPU; give numbers from 0 on, like 0,3,5,6", option, text));
  }
  return number;
}

// Which GPUs also says how many.
void set_placement(WhatIf& what_if, std::string_view value, std::string_view option) {
  what_if.placement.clear();
  if (value.empty()) throw UsageError(fmt::format("{}=: takes numbers of GPUs, like 0,3,5,6", option));
  for (const std::string& part : split_list_strictly(value)) {
    const int gpu = gpu_number(part, option);
    if (std::ranges::find(what_if.placement, gpu) != what_if.placement.end()) {
      throw UsageError(fmt::format("{}: GPU {} is given twice", option, gpu));
    }
    what_if.placement.push_back(gpu);
  }
  what_if.ranks = static_cast<int>(what_if.placement.size());
}

struct Key {
  std::string_view name;
  void (*set)(WhatIf& what_if, std::string_view value, std::string_view option);
};

constexpr std::array kKeys{
    Key{"network",
        [](WhatIf& w, std::string_view v, std::string_view o) { w.network_bytes_per_s = positive_rate(v, o); }},
    Key{"storage",
        [](WhatIf& w, std::string_view v, std::string_view o) { w.storage_bytes_per_s = positive_rate(v, o); }},
    Key{"cache", [](WhatIf& w, std::string_view v,
                    std::string_view o) { w.cache_bytes = static_cast<double>(parse_bytes(v, o)); }},
    Key{"workers",
        [](WhatIf& w, std::string_view v, std::string_view o) { w.workers = whole_number(v, o, kMostWorkersOfGpu); }},
    Key{"cores", [](WhatIf& w, std::string_view v, std::string_view o) { w.cores = positive_number(v, o); }},
    Key{"bucket", [](WhatIf& w, std::string_view v, std::string_view o) { w.bucket_bytes = parse_bytes(v, o); }},
    Key{"blocking", [](WhatIf& w, std::string_view v,
                       std::string_view o) { w.blocking_calls = whole_number(v, o, kMostBlocking); }},
    Key{"reduce", [](WhatIf& w, std::string_view v, std::string_view o) { w.all_reduce = parse_all_reduce(v, o); }},
    Key{"links", set_links},
    Key{"batch", [](WhatIf& w, std::string_view v, std::string_view o) { w.batch = whole_number(v, o, kMostInBatch); }},
    Key{"dtype", [](WhatIf& w, std::string_view v, std::string_view o) { w.dtype = parse_dtype(v, o); }},
    Key{"accumulation", [](WhatIf& w, std::string_view v,
                           std::string_view o) { w.accumulation = whole_number(v, o, kMostMicroBatches); }},
    Key{"ranks", set_ranks},
    Key{"placement", set_placement},
};

}  // namespace

WhatIf what_if_of(std::span<const std::string> texts) {
  WhatIf what_if;
  std::set<std::string_view> names;
  for (const std::string_view text : texts) {
    set(what_if, text);
    const std::string_view name = text.substr(0, text.find('='));
    if (!names.insert(name).second) throw UsageError(fmt::format("--set {} is given twice: give it once", name));
  }
  if (names.contains("ranks") && names.contains("placement")) {
    throw UsageError("--set placement says how many ranks a node has: leave --set ranks out");
  }
  return what_if;
}

void set(WhatIf& what_if, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    throw UsageError(fmt::format("--set {}: takes KEY=VALUE, like network=100Gbit/s", text));
  }
  const std::string_view name = text.substr(0, equals);
  for (const Key& key : kKeys) {
    if (key.name == name) return key.set(what_if, text.substr(equals + 1), fmt::format("--set {}", name));
  }
  std::array<std::string_view, kKeys.size()> names;
  for (std::size_t i = 0; i < kKeys.size(); ++i) names[i] = kKeys[i].name;
  throw_unknown("--set", name, names);
}

}  // namespace stash
