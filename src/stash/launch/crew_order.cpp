#include "stash/launch/crew_order.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "stash/core/profile_json.h"
#include "stash/core/same_job.h"
#include "stash/launch/extension/fingerprint.h"
#include "stash/launch/rank_command.h"

namespace stash {
namespace {

// Where all ranks are ours, collectives give up later than the supervisor, which knows better who is to blame. Of ranks
// elsewhere it knows nothing.
constexpr double kCollectiveTimeoutFactor = 3;

// A machine that stands for several: their ranks reach each other as those of nodes would, by other collectives.
NodeIdentity node_of(int index, const CrewOptions& options) {
  if (options.nodes <= 1) return options.node;
  const std::string number = fmt::format("#{}", index * options.nodes / options.plan.count);
  return {options.node.host + number, options.node.key + number};
}

}  // namespace

Order crew_order(const Job& job, const CrewOptions& options, const std::filesystem::path& store) {
  const CrewPlan& plan = options.plan;
  Order order;
  order.purpose = options.purpose;
  order.job = job;
  order.on_gpus = job.device.is_cuda();
  order.max_link_bytes = options.max_link_bytes;
  order.pool = options.pool;
  order.samples = options.samples;
  order.tries = options.tries;
  order.first_rank = plan.first_rank;
  order.crew_size = plan.count;
  order.team_size = plan.size;
  order.first_local_rank = plan.local_rank;
  for (int index = 0; index < plan.count; ++index) order.nodes.push_back(node_of(index, options));
  order.job_key = fingerprint(to_json(common_part(job, kAcrossHosts)).dump());
  if (plan.is_whole()) order.store_file = store.string();
  order.meeting = plan.meeting;
  order.interface = gloo_interface(plan);
  order.timeout_s = options.deadline_s * (plan.is_whole() ? kCollectiveTimeoutFactor : 1);
  return order;
}

}  // namespace stash
