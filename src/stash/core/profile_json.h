#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "stash/core/profile.h"

namespace stash {

// Keys are the field names; unknown is null. Readers ignore unknown keys and throw an Error that names the key
// at fault ("windows[3].ranks[1].wall_s must be a number"). A Job's missing keys keep their defaults.
nlohmann::json to_json(const Job& job);
nlohmann::json to_json(const Machine& machine);
nlohmann::json to_json(const RankSample& sample);
nlohmann::json to_json(const Window& window);
nlohmann::json to_json(const LayerTime& layer);
nlohmann::json to_json(const LinkTime& row);
nlohmann::json to_json(const RankPlace& place);
nlohmann::json to_json(const Bucket& bucket);
nlohmann::json to_json(const CollectiveSummary& summary);
nlohmann::json to_json(const InputCounters& counters);
nlohmann::json to_json(const RankTrace& trace);

Job job_from_json(const nlohmann::json& json);
Machine machine_from_json(const nlohmann::json& json);
RankSample rank_sample_from_json(const nlohmann::json& json);
Window window_from_json(const nlohmann::json& json);
LayerTime layer_time_from_json(const nlohmann::json& json);
LinkTime link_time_from_json(const nlohmann::json& json);
RankPlace rank_place_from_json(const nlohmann::json& json);
Bucket bucket_from_json(const nlohmann::json& json);
CollectiveSummary collective_summary_from_json(const nlohmann::json& json);
InputCounters input_counters_from_json(const nlohmann::json& json);
RankTrace rank_trace_from_json(const nlohmann::json& json);

// A document from others: size, depth and number of values are bounded; `what` names it in messages.
nlohmann::json parse_json(std::string_view text, std::string_view what);
// Bytes that are not UTF-8 become U+FFFD.
std::string dump_json(const nlohmann::json& json, int indent = -1);

// The profile file: {"schema_version", "tool", then the fields of Profile}.
std::string to_json_text(const Profile& profile);
Profile profile_from_json_text(std::string_view text);
Profile read_profile(const std::filesystem::path& path);
void write_profile(const std::filesystem::path& path, const Profile& profile);  // whole or not at all

}  // namespace stash
