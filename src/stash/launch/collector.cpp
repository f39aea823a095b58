#include "stash/launch/collector.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "stash/core/error.h"
#include "stash/core/profile_json.h"

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

}  // namespace

void Collector::take(int rank, std::string_view line) {
  try {
    const nlohmann::json message = parse_json(line, fmt::format("what rank {} reported", rank));
    const std::string event = message.at("event").get<std::string>();
    if (event == "window") {
      profile_.windows.push_back(window_from_json(message.at("window")));
    } else if (event == "phase") {
      phase_ = message.at("text").get<std::string>();
    } else if (event == "pilot") {
      profile_.edge_s = message.at("edge_s").get<double>();
      round_s_ = message.at("round_s").get<double>();
      phase_ = "measuring";
    } else if (event == "machine") {
      if (rank == 0) add_machine(profile_.machine, message.at("machine"));
    } else if (event == "job") {
      profile_.job = job_from_json(message.at("job"));
    } else if (event == "layers") {
      for (const auto& row : message.at("rows")) profile_.layers.push_back(layer_time_from_json(row));
    } else if (event == "buckets") {
      for (const auto& row : message.at("rows")) profile_.buckets.push_back(bucket_from_json(row));
    } else if (event == "collectives") {
      for (const auto& row : message.at("rows")) profile_.collectives.push_back(collective_summary_from_json(row));
    } else if (event == "input") {
      profile_.inputs.push_back(input_counters_from_json(message.at("counters")));
    } else if (event == "loss") {
      profile_.loss = message.at("loss").get<double>();
    } else if (event == "warning") {
      profile_.warnings.push_back(message.at("text").get<std::string>());
    } else if (event == "stopped") {
      profile_.stopped_by = parse_stopped_by(message.at("by").get<std::string>());
      stopped_ = true;
    } else if (event == "error") {
      errors_.emplace(rank, RankError{message.at("kind").get<std::string>(), message.at("message").get<std::string>()});
    }
  } catch (const std::exception& error) {
    profile_.warnings.push_back(fmt::format("a report of rank {} was not understood: {}", rank, error.what()));
  }
}

}  // namespace stash
