#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "stash/report/group_times.h"
#include "stash/report/ledger_json.h"
#include "stash/report/openmetrics.h"
#include "stash/report/printable.h"

namespace stash {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestGroupLabel = 100;

Json optional_estimate(const std::optional<Estimate>& time) { return time ? estimate_json(*time) : Json(nullptr); }

Json operations_json(const GroupTime& line) {
  Json list = Json::array();
  for (const GroupOperation& operation : line.operations) {
    list.push_back({{"op", operation.op},
                    {"calls", json_number(operation.calls)},
                    {"bytes", json_number(operation.bytes)},
                    {"between_nodes", line.between_nodes}});
  }
  return list;
}

Json line_json(const GroupTime& line) {
  const bool is_group = !line.name.empty();
  const bool counted = !line.operations.empty();
  const auto end = [&](double Estimate::* which) {
    return line.exposed ? json_number((*line.exposed).*which) : Json(nullptr);
  };
  return {{"group", is_group ? Json(line.name) : Json(nullptr)},
          {"used_by", line.used_by},
          {"ranks", is_group && line.ranks > 0 ? Json(line.ranks) : Json(nullptr)},
          {"between_nodes", is_group ? Json(line.between_nodes) : Json(nullptr)},
          {"operations", operations_json(line)},
          {"calls", counted ? json_number(calls_of(line)) : Json(nullptr)},
          {"bytes", counted ? json_number(bytes_of(line)) : Json(nullptr)},
          {"s", end(&Estimate::s)},
          {"low_s", end(&Estimate::low_s)},
          {"high_s", end(&Estimate::high_s)},
          {"inside_nodes", optional_estimate(line.inside)},
          {"across_nodes", optional_estimate(line.between)},
          {"why_not", line.why_not.empty() ? Json(nullptr) : Json(line.why_not)}};
}

using OfLine = std::function<std::optional<double>(const GroupTime&)>;

std::string group_family(const Ledger& ledger, const std::string& labels, std::string_view name, std::string_view unit,
                         std::string_view help, const OfLine& value) {
  std::string text = fmt::format("# TYPE {0} gauge\n{1}# HELP {0} {2}\n", name,
                                 unit.empty() ? "" : fmt::format("# UNIT {} {}\n", name, unit), help);
  bool any = false;
  for (const GroupTime& line : shown_groups(ledger)) {
    const std::optional<double> own = value(line);
    if (!own) continue;
    any = true;
    const std::string group = line.name.empty() ? "only together" : line.name;
    text += fmt::format("{}{{{},group=\"{}\"}} {}\n", name, labels,
                        openmetrics_label(printable(group, true, kLongestGroupLabel)), *own);
  }
  return any ? text : "";
}

}  // namespace

nlohmann::ordered_json communication_json(const Ledger& ledger) {
  if (ledger.communication.empty()) return nullptr;
  Json list = Json::array();
  for (const GroupTime& line : ledger.communication) list.push_back(line_json(line));
  return list;
}

std::string communication_openmetrics(const Ledger& ledger, const std::string& labels) {
  const auto end = [](double Estimate::* which) {
    return
        [which](const GroupTime& line) { return line.exposed ? std::optional((*line.exposed).*which) : std::nullopt; };
  };
  const auto counted = [](double (*of)(const GroupTime&)) {
    return [of](const GroupTime& line) { return line.operations.empty() ? std::nullopt : std::optional(of(line)); };
  };
  return group_family(ledger, labels, "stash_ledger_group_seconds", "seconds",
                      "What a process group costs of every step.", end(&Estimate::s)) +
         group_family(ledger, labels, "stash_ledger_group_low_seconds", "seconds", "Lower end of its 95 % interval.",
                      end(&Estimate::low_s)) +
         group_family(ledger, labels, "stash_ledger_group_high_seconds", "seconds", "Upper end of its 95 % interval.",
                      end(&Estimate::high_s)) +
         group_family(ledger, labels, "stash_ledger_group_calls", "", "Collectives of a rank per step.",
                      counted(&calls_of)) +
         group_family(ledger, labels, "stash_ledger_group_bytes", "bytes", "Their bytes per step.", counted(&bytes_of));
}

}  // namespace stash
