#include "stash/launch/collector.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/launch/machine_info.h"

namespace stash {
namespace {

StoppedBy parse_stopped_by(const std::string& name) {
  for (const StoppedBy reason : {StoppedBy::precision, StoppedBy::time, StoppedBy::interrupted}) {
    if (name == to_string(reason)) return reason;
  }
  return StoppedBy::fault;
}

void add_machine(Machine& machine, const nlohmann::json& facts) {
  for (const auto& [name, version] : facts.at("versions").items()) machine.versions[name] = version.get<std::string>();
  for (const auto& gpu : facts.at("gpus")) {
    machine.gpus.push_back({gpu.at("name").get<std::string>(), gpu.at("memory_bytes").get<std::int64_t>()});
  }
}

template <typename Row>
void add_rows(std::vector<Row>& rows, const nlohmann::json& message, Row (*read)(const nlohmann::json&)) {
  for (const auto& row : message.at("rows")) rows.push_back(read(row));
}

// A rank's part of what was traced in one window.
void add_trace(std::vector<WindowTrace>& traces, const nlohmann::json& message) {
  const Condition condition = parse_condition(message.at("condition").get<std::string>());
  RankTrace rank = rank_trace_from_json(message.at("trace"));
  for (WindowTrace& trace : traces) {
    if (trace.condition == condition) return trace.ranks.push_back(std::move(rank));
  }
  traces.push_back({message.at("round").get<int>(), condition, {std::move(rank)}});
}

}  // namespace

// What each event of a rank does to the profile.
const std::map<std::string_view, Collector::Handler>& Collector::handlers() {
  using Json = nlohmann::json;
  static const std::map<std::string_view, Handler> kHandlers{
      {"phase", [](Collector& c, int, const Json& m) { c.phase_ = m.at("text").get<std::string>(); }},
      {"pilot",
       [](Collector& c, int, const Json& m) {
         c.profile_.edge_s = m.at("edge_s").get<double>();
         c.round_s_ = m.at("round_s").get<double>();
         c.phase_ = "measuring";
       }},
      {"machine",
       [](Collector& c, int rank, const Json& m) {
         if (rank == 0) add_machine(c.profile_.machine, m.at("machine"));
       }},
      {"job", [](Collector& c, int, const Json& m) { c.profile_.job = job_from_json(m.at("job")); }},
      {"window",
       [](Collector& c, int, const Json& m) { c.profile_.windows.push_back(window_from_json(m.at("window"))); }},
      {"places", [](Collector& c, int, const Json& m) { add_rows(c.profile_.places, m, rank_place_from_json); }},
      {"links", [](Collector& c, int, const Json& m) { add_rows(c.profile_.links, m, link_time_from_json); }},
      {"layers", [](Collector& c, int, const Json& m) { add_rows(c.profile_.layers, m, layer_time_from_json); }},
      {"buckets", [](Collector& c, int, const Json& m) { add_rows(c.profile_.buckets, m, bucket_from_json); }},
      {"collectives",
       [](Collector& c, int, const Json& m) { add_rows(c.profile_.collectives, m, collective_summary_from_json); }},
      {"input", [](Collector& c, int,
                   const Json& m) { c.profile_.inputs.push_back(input_counters_from_json(m.at("counters"))); }},
      {"trace", [](Collector& c, int, const Json& m) { add_trace(c.profile_.traces, m); }},
      {"clocks", [](Collector& c, int, const Json& m) { c.profile_.clocks_s = m.at("s").get<double>(); }},
      {"loss", [](Collector& c, int, const Json& m) { c.profile_.loss = m.at("loss").get<double>(); }},
      {"warning",
       [](Collector& c, int, const Json& m) { c.profile_.warnings.push_back(m.at("text").get<std::string>()); }},
      {"facts", [](Collector& c, int, const Json& m) { add_rows(c.facts_, m, rank_facts_from_json); }},
      {"elsewhere", [](Collector& c, int, const Json& m) { c.elsewhere_ = m.at("host").get<std::string>(); }},
      {"stopped",
       [](Collector& c, int, const Json& m) {
         c.profile_.stopped_by = parse_stopped_by(m.at("by").get<std::string>());
         c.stopped_ = true;
       }},
      {"error",
       [](Collector& c, int rank, const Json& m) {
         c.errors_.emplace(rank, RankError{m.at("kind").get<std::string>(), m.at("message").get<std::string>(),
                                           m.value("lost", std::vector<int>())});
       }},
  };
  return kHandlers;
}

void Collector::take(int rank, std::string_view line) {
  try {
    const nlohmann::json message = parse_json(line, fmt::format("what rank {} reported", rank));
    const auto handler = handlers().find(message.at("event").get<std::string>());
    if (handler != handlers().end()) handler->second(*this, rank, message);
  } catch (const std::exception& error) {
    profile_.warnings.push_back(fmt::format("a report of rank {} was not understood: {}", rank, error.what()));
  }
}

void note_cache_room(Collector& collector) {
  Profile& profile = collector.profile();
  if (!profile.cache_bytes && !profile.windows.empty()) profile.cache_bytes = available_memory_bytes();
}

}  // namespace stash
