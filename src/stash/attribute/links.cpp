#include "stash/attribute/links.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "stash/core/statistics.h"

namespace stash {
namespace {

constexpr double kSlowRatio = 0.7;  // of the siblings' rate
constexpr std::size_t kFewestSizes = 3;

// The rate that the largest exchanges of a pair reached.
double pair_rate(const std::vector<LinkTime>& rows) {
  double best = 0;
  for (const LinkTime& row : rows) best = std::max(best, algorithm_bytes_per_s(row));
  return best;
}

// A node's link is as good as the best pair that it is in: the other end of a bad one may be to blame.
std::map<int, double> node_rates(const Profile& profile) {
  std::map<int, double> rates;
  for (const auto& rows : group_links(profile.links)) {
    if (rows.front().scope != "pair") continue;
    const double rate = pair_rate(rows);
    for (const int node : {rows.front().node, rows.front().other}) rates[node] = std::max(rates[node], rate);
  }
  return rates;
}

}  // namespace

double algorithm_bytes_per_s(const LinkTime& row) { return row.s > 0 ? static_cast<double>(row.bytes) / row.s : 0; }

double bus_bytes_per_s(const LinkTime& row) {
  const double ranks = row.ranks;
  const bool is_one_way = row.op == "exchange" || row.scope == "host";
  const double factor = is_one_way ? 1 : row.op == "allreduce" ? 2 * (ranks - 1) / ranks : (ranks - 1) / ranks;
  return algorithm_bytes_per_s(row) * factor;
}

std::optional<LinkFit> fit_link(std::span<const LinkTime> rows) {
  if (rows.size() < kFewestSizes) return std::nullopt;
  // Least squares of (latency + bytes * slope - s) / s.
  double one = 0, x = 0, xx = 0, y = 0, xy = 0;
  for (const LinkTime& row : rows) {
    if (!(row.s > 0)) return std::nullopt;
    const double weight = 1 / (row.s * row.s), bytes = static_cast<double>(row.bytes);
    one += weight;
    x += weight * bytes;
    xx += weight * bytes * bytes;
    y += weight * row.s;
    xy += weight * bytes * row.s;
  }
  const double determinant = one * xx - x * x;
  if (!(determinant > 0)) return std::nullopt;
  const double slope = (one * xy - x * y) / determinant;
  if (!(slope > 0)) return std::nullopt;
  LinkFit fit{.latency_s = std::max(0.0, (xx * y - x * xy) / determinant), .bytes_per_s = 1 / slope};
  double squares = 0;
  for (const LinkTime& row : rows) {
    const double error = (fit.latency_s + static_cast<double>(row.bytes) * slope) / row.s - 1;
    squares += error * error;
  }
  fit.error_ratio = std::sqrt(squares / static_cast<double>(rows.size()));
  return fit;
}

std::vector<std::vector<LinkTime>> group_links(const std::vector<LinkTime>& rows) {
  std::vector<std::vector<LinkTime>> groups;
  const auto same = [](const LinkTime& a, const LinkTime& b) {
    return a.scope == b.scope && a.op == b.op && a.node == b.node && a.other == b.other;
  };
  for (const LinkTime& row : rows) {
    const auto found =
        std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return same(group[0], row); });
    if (found == groups.end()) {
      groups.push_back({row});
    } else {
      found->push_back(row);
    }
  }
  return groups;
}

std::optional<SlowLink> find_slow_link(const Profile& profile) {
  const std::map<int, double> rates = node_rates(profile);
  if (rates.size() < 3) return std::nullopt;  // of two nobody can tell which
  std::vector<double> sorted;
  for (const auto& [node, rate] : rates) sorted.push_back(rate);
  std::sort(sorted.begin(), sorted.end());
  const auto slowest =
      std::min_element(rates.begin(), rates.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const double others = median_without(sorted, 0);
  if (slowest->second >= kSlowRatio * others) return std::nullopt;
  return SlowLink{slowest->first, host_of_node(profile, slowest->first), slowest->second, others};
}

}  // namespace stash
