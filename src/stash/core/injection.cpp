#include "stash/core/injection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <vector>

#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/core/words.h"

namespace stash {

namespace {

constexpr std::string_view kPerSample = "/sample";
constexpr std::string_view kRank = "rank", kGroupLink = "link:";
constexpr std::array<std::string_view, 5> kKinds{"read", "prep", "rank0", "link", "warmup"};

double positive(double value, std::string_view item) {
  if (value > 0) return value;
  throw UsageError(fmt::format("--inject {}: must be more than 0; leave it out for no injection", item));
}

// The rank of `rank1`, nullopt where `kind` is something else.
std::optional<int> parse_rank(std::string_view kind) {
  if (!kind.starts_with(kRank)) return std::nullopt;
  kind.remove_prefix(kRank.size());
  int rank = 0;
  const auto [end, error] = std::from_chars(kind.data(), kind.data() + kind.size(), rank);
  const bool whole = error == std::errc{} && end == kind.data() + kind.size() && rank >= 0;
  return whole ? std::optional(rank) : std::nullopt;
}

double parse_prep(std::string_view value, std::string_view item) {
  if (!value.ends_with(kPerSample)) {
    throw UsageError(fmt::format("--inject {}: a time per sample is wanted, like prep=5ms/sample", item));
  }
  value.remove_suffix(kPerSample.size());
  return positive(parse_duration_s(value, "--inject prep"), item);
}

double parse_delay(std::string_view value, std::string_view item) {
  if (value.starts_with('+')) value.remove_prefix(1);
  return positive(parse_duration_s(value, fmt::format("--inject {}", item.substr(0, item.find('=')))), item);
}

void parse_item(std::string_view item, Injection& injection) {
  const std::size_t equals = item.find('=');
  const std::string_view kind = item.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "" : item.substr(equals + 1);
  bool twice = false;
  const auto set = [&](std::optional<double>& field, double parsed) {
    twice = field.has_value();
    field = parsed;
  };
  if (kind == "read") {
    set(injection.read_bytes_per_s, positive(parse_bytes_per_s(value, "--inject read"), item));
  } else if (kind == "prep") {
    set(injection.prep_s_per_sample, parse_prep(value, item));
  } else if (kind == "link") {
    set(injection.link_bytes_per_s, positive(parse_bytes_per_s(value, "--inject link"), item));
  } else if (kind == "warmup") {
    set(injection.warmup_s, parse_delay(value, item));
  } else if (kind.starts_with(kGroupLink)) {
    const std::string group(kind.substr(kGroupLink.size()));
    if (group.empty()) throw UsageError("--inject link: a process group's name is missing, as in link:tp=1Gbit/s");
    const double rate = positive(parse_bytes_per_s(value, "--inject link"), item);
    twice = !injection.group_link_bytes_per_s.emplace(group, rate).second;
  } else if (const auto rank = parse_rank(kind)) {
    twice = !injection.rank_delay_s.emplace(*rank, parse_delay(value, item)).second;
  } else {
    throw_unknown("injection", kind, kKinds);
  }
  if (twice) throw UsageError(fmt::format("--inject: '{}' is given twice", kind));
}

// The largest unit that keeps the number at 1 or more and parses back to the same value.
template <class Parse>
std::string exact(double value, std::initializer_list<std::pair<const char*, double>> units, Parse parse) {
  for (const auto& [name, factor] : units) {
    const std::string text = fmt::format("{}{}", value / factor, name);
    if (value / factor >= 1 && parse(text, "--inject") == value) return text;
  }
  return fmt::format("{}{}", value, (units.end() - 1)->first);
}

std::string exact_rate(double bytes_per_s) {
  return exact(bytes_per_s, {{"GB/s", 1e9}, {"MB/s", 1e6}, {"kB/s", 1e3}, {"B/s", 1}}, parse_bytes_per_s);
}

std::string exact_duration(double s) {
  return exact(s, {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"s", 1}}, parse_duration_s);
}

}  // namespace

bool Injection::empty() const { return *this == Injection{}; }

Injection parse_injection(std::string_view text) {
  Injection injection;
  if (text.ends_with(',')) throw UsageError("--inject ends with a comma; take it away or add an injection");
  for (const std::string& item : split_list_strictly(text)) parse_item(item, injection);
  return injection;
}

std::string to_string(const Injection& injection) {
  std::vector<std::string> items;
  if (injection.read_bytes_per_s) items.push_back("read=" + exact_rate(*injection.read_bytes_per_s));
  if (injection.prep_s_per_sample) items.push_back("prep=" + exact_duration(*injection.prep_s_per_sample) + "/sample");
  if (injection.link_bytes_per_s) items.push_back("link=" + exact_rate(*injection.link_bytes_per_s));
  for (const auto& [group, rate] : injection.group_link_bytes_per_s) {
    items.push_back(fmt::format("{}{}={}", kGroupLink, group, exact_rate(rate)));
  }
  if (injection.warmup_s) items.push_back(fmt::format("warmup=+{}", exact_duration(*injection.warmup_s)));
  for (const auto& [rank, delay_s] : injection.rank_delay_s) {
    items.push_back(fmt::format("rank{}=+{}", rank, exact_duration(delay_s)));
  }
  return fmt::format("{}", fmt::join(items, ","));
}

}  // namespace stash
