#include "stash/core/job.h"

#include <algorithm>
#include <filesystem>

#include "stash/core/job_fields.h"
#include "stash/core/profile_json.h"

namespace stash {

nlohmann::json to_json(const Job& job) { return json_fields::write(job); }

std::string job_name(const Job& job) { return job.model.empty() ? script_name(job.command) : job.model; }

std::string script_name(const std::vector<std::string>& command) {
  if (command.empty()) return "";
  const auto script =
      std::find_if(command.begin(), command.end(), [](const auto& word) { return word.ends_with(".py"); });
  return std::filesystem::path(script == command.end() ? command.front() : *script).filename().string();
}

}  // namespace stash
