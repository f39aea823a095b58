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
nlohmann::json to_json(const ScriptFacts& facts);
nlohmann::json to_json(const LinkTime& row);
nlohmann::json to_json(const RankPlace& place);
nlohmann::json to_json(const RankTrace& trace);

RankTrace rank_trace_from_json(const nlohmann::json& json);

// A document from others: size, depth and number of values are bounded; `what` names it in messages.
nlohmann::json parse_json(std::string_view text, std::string_view what);
// A key that an older version wrote under another name; what has the newer one stays as it is.
void accept_older_key(nlohmann::json& object, const char* older, const char* key);
// Bytes that are not UTF-8 become U+FFFD.
std::string dump_json(const nlohmann::json& json, int indent = -1);

// The profile file: {"schema_version", "tool", then the fields of Profile}.
std::string to_json_text(const Profile& profile);
Profile profile_from_json_text(std::string_view text);
Profile read_profile(const std::filesystem::path& path);
void write_profile(const std::filesystem::path& path, const Profile& profile);  // whole or not at all

}  // namespace stash
