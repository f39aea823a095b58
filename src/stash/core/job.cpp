#include "stash/core/job.h"

#include "stash/core/job_fields.h"
#include "stash/core/profile_json.h"

namespace stash {

nlohmann::json to_json(const Job& job) { return json_fields::write(job); }

Job job_from_json(const nlohmann::json& json) {
  Job job;
  json_fields::read(json, json_fields::Path{nullptr, "job"}, job);
  return job;
}

}  // namespace stash
