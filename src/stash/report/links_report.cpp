#include "stash/report/links_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "stash/attribute/links.h"
#include "stash/core/profile_json.h"
#include "stash/core/units.h"
#include "stash/report/printable.h"

namespace stash {
namespace {

using LinkGroup = std::vector<LinkTime>;

std::string where(const Profile& profile, const LinkTime& row) { return printable(place_of_link(profile, row)); }

const LinkTime& best(const LinkGroup& rows) {
  return *std::max_element(rows.begin(), rows.end(),
                           [](const auto& a, const auto& b) { return bus_bytes_per_s(a) < bus_bytes_per_s(b); });
}

std::string rate(double bytes_per_s) {
  return bytes_per_s >= 1e9 ? fmt::format("{:.2f} GB/s", bytes_per_s * 1e-9)
                            : fmt::format("{:.1f} MB/s", bytes_per_s * 1e-6);
}

std::string verdict(const Profile& profile, const std::vector<LinkGroup>& groups) {
  if (const auto slow = find_slow_link(profile)) {
    return fmt::format("the link of {} is slow: {} where those of the others carry {}", printable(slow->host),
                       rate(slow->bytes_per_s), rate(slow->others_bytes_per_s));
  }
  std::string text;
  for (const LinkGroup& rows : groups) {
    if (rows.front().op != "allreduce") continue;
    text += fmt::format("{}{}: {} (all-reduce, bus bandwidth)", text.empty() ? "" : "; ", where(profile, rows.front()),
                        rate(bus_bytes_per_s(best(rows))));
  }
  return text.empty() ? "no link was timed" : text;
}

std::string fit_line(const LinkGroup& rows) {
  const auto fit = fit_link(rows);
  if (!fit) return "  no latency and rate fit these times\n";
  return fmt::format("  fit: {} + bytes / {}, {:.0f} % off on average\n", format_duration(fit->latency_s),
                     rate(fit->bytes_per_s), 100 * fit->error_ratio);
}

std::string render_text(const Profile& profile, const std::vector<LinkGroup>& groups) {
  std::string text = verdict(profile, groups) + "\n";
  for (const LinkGroup& rows : groups) {
    text += fmt::format("\n{}, {}\n{:>12}{:>14}{:>26}{:>16}{:>16}\n", rows.front().op, where(profile, rows.front()),
                        "size", "time", "smallest to largest", "algorithm", "bus");
    for (const LinkTime& row : rows) {
      text += fmt::format("{:>12}{:>14}{:>26}{:>16}{:>16}\n", format_bytes(static_cast<double>(row.bytes)),
                          format_duration(row.s),
                          fmt::format("{} to {}", format_duration(row.low_s), format_duration(row.high_s)),
                          rate(algorithm_bytes_per_s(row)), rate(bus_bytes_per_s(row)));
    }
    text += fit_line(rows);
  }
  return text;
}

std::string render_csv(const Profile& profile) {
  std::string text = "scope,node,other,op,ranks,bytes,repeats,s,low_s,high_s,algorithm_bytes_per_s,bus_bytes_per_s\n";
  for (const LinkTime& row : profile.links) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", row.scope, row.node, row.other, row.op, row.ranks,
                        row.bytes, row.repeats, row.s, row.low_s, row.high_s, algorithm_bytes_per_s(row),
                        bus_bytes_per_s(row));
  }
  return text;
}

std::string render_json(const Profile& profile, const std::vector<LinkGroup>& groups,
                        const TopologyFindings* topology) {
  nlohmann::json rows = nlohmann::json::array(), fits = nlohmann::json::array();
  for (const LinkGroup& group : groups) {
    for (const LinkTime& row : group) {
      nlohmann::json json = to_json(row);
      json["algorithm_bytes_per_s"] = algorithm_bytes_per_s(row);
      json["bus_bytes_per_s"] = bus_bytes_per_s(row);
      rows.push_back(std::move(json));
    }
    const LinkTime& first = group.front();
    nlohmann::json fit{{"scope", first.scope}, {"op", first.op}, {"node", first.node}, {"other", first.other}};
    const auto found = fit_link(group);
    fit["latency_s"] = found ? nlohmann::json(found->latency_s) : nlohmann::json();
    fit["bytes_per_s"] = found ? nlohmann::json(found->bytes_per_s) : nlohmann::json();
    fit["error_ratio"] = found ? nlohmann::json(found->error_ratio) : nlohmann::json();
    fits.push_back(std::move(fit));
  }
  nlohmann::json places = nlohmann::json::array();
  for (const RankPlace& place : profile.places) places.push_back(to_json(place));
  const auto slow = find_slow_link(profile);
  return dump_json({{"schema_version", 1},
                    {"links", std::move(rows)},
                    {"fits", std::move(fits)},
                    {"places", std::move(places)},
                    {"topology", topology ? topology_json(*topology) : nlohmann::json()},
                    {"slow_link", slow ? nlohmann::json{{"node", slow->node},
                                                        {"host", slow->host},
                                                        {"bytes_per_s", slow->bytes_per_s},
                                                        {"others_bytes_per_s", slow->others_bytes_per_s}}
                                       : nlohmann::json()}},
                   1) +
         "\n";
}

}  // namespace

std::string place_of_link(const Profile& profile, const LinkTime& row) {
  if (row.scope == "node") return "inside " + host_of_node(profile, row.node);
  if (row.scope == "joined") return fmt::format("among all {} ranks", row.ranks);
  if (row.scope == "host") return "between host memory and a device";
  return fmt::format("{} to {}", host_of_node(profile, row.node), host_of_node(profile, row.other));
}

std::string render_links(const Profile& profile, Format format, const TopologyFindings* topology) {
  const std::vector<LinkGroup> groups = group_links(profile.links);
  if (format == Format::csv) return render_csv(profile);
  if (format == Format::json) return render_json(profile, groups, topology);
  const std::string timed = render_text(profile, groups);
  if (topology == nullptr) return timed;
  // What is missing explains the times below it.
  return topology->faults.empty() ? timed + "\n" + topology_text(*topology) : topology_text(*topology) + "\n" + timed;
}

}  // namespace stash
