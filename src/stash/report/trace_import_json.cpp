#include "stash/report/trace_import_json.h"

#include <nlohmann/json.hpp>

#include "stash/core/profile_json.h"
#include "stash/core/version.h"

namespace stash {
namespace {

template <class T>
nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

nlohmann::json to_json(const TraceParts& parts) {
  nlohmann::json object = nlohmann::json::object();
  for (const TracePart part : kTraceParts) object[std::string(to_string(part)) + "_s"] = or_null(at(parts, part));
  return object;
}

nlohmann::json to_json(const TraceRank& rank) {
  nlohmann::json steps = nlohmann::json::array();
  for (const TraceStep& step : rank.steps) steps.push_back({{"s", step.s}, {"parts", to_json(step.parts)}});
  return {{"rank", rank.rank},
          {"device", or_null(rank.device)},
          {"step_source", to_string(rank.step_source)},
          {"marked_on_gpu", rank.marked_on_gpu},
          {"steps_left_out", rank.steps_left_out},
          {"step_s", rank.step_s},
          {"parts", to_json(rank.parts)},
          {"communication_total_s", rank.communication_s},
          {"explained_ratio", rank.explained_ratio()},
          {"kernels", rank.kernels},
          {"recognised_kernels", rank.recognised_kernels},
          {"kernel_s", rank.kernel_s},
          {"recognised_kernel_s", rank.recognised_kernel_s},
          {"collectives", rank.collectives},
          {"named_collectives", rank.named_collectives},
          {"steps", std::move(steps)}};
}

nlohmann::json to_json(const ImportedTrace& trace) {
  return {{"path", trace.path.string()},
          {"bytes", trace.read.bytes},
          {"events", trace.read.events},
          {"truncated", trace.read.truncated},
          {"damaged_places", trace.read.damaged},
          {"values_too_large", trace.read.too_large},
          {"unusable_events", trace.unusable_events},
          {"unknown_events", trace.unknown_events},
          {"unknown_categories", trace.unknown_categories},
          {"world_size", or_null(trace.read.world_size)},
          {"unrecognised_names", trace.unrecognised_names}};
}

nlohmann::json ratio_or_null(double part, double whole) {
  return whole > 0 ? nlohmann::json(part / whole) : nlohmann::json();
}

nlohmann::json coverage_json(const TraceReport& report) {
  return {{"explained_ratio", report.explained_ratio},
          {"recognised_ratio",
           ratio_or_null(static_cast<double>(report.recognised_kernels), static_cast<double>(report.kernels))},
          {"recognised_time_ratio", ratio_or_null(report.recognised_kernel_s, report.kernel_s)},
          {"world_size", or_null(report.world_size)}};
}

}  // namespace

std::string import_json(const TraceReport& report, const std::string& verdict) {
  nlohmann::json ranks = nlohmann::json::array(), traces = nlohmann::json::array();
  for (const ImportedTrace& trace : report.traces) {
    traces.push_back(to_json(trace));
    for (const TraceRank& rank : trace.ranks) ranks.push_back(to_json(rank));
  }
  const nlohmann::json late = report.late_rank
                                  ? nlohmann::json{{"rank", report.late_rank->rank}, {"s", report.late_rank->s}}
                                  : nlohmann::json();
  return dump_json({{"schema_version", 1},
                    {"tool", tool_json()},
                    {"verdict", verdict},
                    {"step_s", report.step_s},
                    {"parts", to_json(report.parts)},
                    {"communication_total_s", report.communication_s},
                    {"coverage", coverage_json(report)},
                    {"late_rank", late},
                    {"ranks", std::move(ranks)},
                    {"traces", std::move(traces)},
                    {"warnings", report.warnings}},
                   1) +
         "\n";
}

}  // namespace stash
