#include "stash/core/watched.h"

#include <nlohmann/json.hpp>

#include "stash/core/error.h"
#include "stash/core/profile_json.h"

namespace stash {

WatchedRank watched_rank_from_json(const nlohmann::json& json) {
  try {
    WatchedRank watched{.rank = json.at("rank").get<int>(),
                        .steps = json.at("steps").get<std::int64_t>(),
                        .step_s = json.at("step_s").get<double>(),
                        .input_wait_s = json.at("input_wait_s").get<double>(),
                        .collectives = {}};
    for (const auto& row : json.at("collectives")) watched.collectives.push_back(collective_summary_from_json(row));
    return watched;
  } catch (const nlohmann::json::exception& error) {
    throw Error(std::string("a rank's counters cannot be understood: ") + error.what());
  }
}

}  // namespace stash
