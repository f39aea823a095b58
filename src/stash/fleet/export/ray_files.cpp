#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "stash/fleet/export/fleet_files.h"
#include "stash/fleet/export/yaml_text.h"

namespace stash {
namespace {

// Named by the type, so that each application has its own batches.
nlohmann::json ray_application(const FleetExport& fleet, const ExportedMachines& machines, bool is_first) {
  const ExportedType type = exported_type(fleet, machines);
  const int most_batch = std::max(type.batch, 1);
  const int devices = std::max(type.type->devices, 1);  // a replica each
  // As many requests as two batches: one that is worked on, one that waits.
  nlohmann::json deployment{
      {"name", "Model"},
      {"max_ongoing_requests", 2 * most_batch},
      {"user_config", {{"most_batch", most_batch}, {"batch_wait_s", std::round(type.batch_wait_s * 1e6) / 1e6}}}};
  if (machines.most > machines.count) {
    deployment["autoscaling_config"] = {{"min_replicas", devices * std::max(machines.count, 1)},
                                        {"max_replicas", devices * machines.most},
                                        {"target_ongoing_requests", std::max(most_batch, 1)}};
  } else {
    deployment["num_replicas"] = devices * std::max(machines.count, 1);
  }
  nlohmann::json actor{{"num_cpus", 1}};
  if (type.type->has_gpu) actor["num_gpus"] = 1;
  deployment["ray_actor_options"] = actor;
  return {{"name", type.name},
          {"route_prefix", is_first ? "/" : "/" + type.name},
          {"import_path", "stash_ray:app"},
          {"deployments", nlohmann::json::array({deployment})}};
}

// The times of the first type stand in for a model, as in `stash serve`.
std::string ray_module(const FleetExport& fleet) {
  std::string times;
  const MachineType& type = fleet.market->machines.at(static_cast<std::size_t>(fleet.machines.front().type));
  for (const BatchTime& row : type.times.rows()) times += fmt::format("    ({}, {:.6g}),\n", row.batch, row.s);
  return fmt::format(R"("""{0} for Ray Serve, with the batches that `stash fleet` plans with.

`compute` stands for the model: it takes the time that a batch takes there, and computes nothing. Put yours in its place.
"""

import asyncio

from ray import serve

TIMES = [  # batch, seconds
{1}]


def batch_time_s(batch):
    """In a straight line between the times that are known; beyond the last one as between the last two."""
    if len(TIMES) == 1:
        return TIMES[0][1]
    above = next((i for i, (known, _) in enumerate(TIMES) if known >= batch), len(TIMES) - 1)
    (b0, t0), (b1, t1) = TIMES[max(above, 1) - 1], TIMES[max(above, 1)]
    return t0 + (t1 - t0) * (batch - b0) / (b1 - b0)


@serve.deployment
class Model:
    def reconfigure(self, config):
        self.infer.set_max_batch_size(config["most_batch"])
        self.infer.set_batch_wait_timeout_s(config["batch_wait_s"])

    async def compute(self, bodies):
        await asyncio.sleep(batch_time_s(len(bodies)))
        return bodies

    @serve.batch
    async def infer(self, bodies):
        return await self.compute(bodies)

    async def __call__(self, request):
        return await self.infer(await request.body())


app = Model.bind()
)",
                     fleet.market->model, times);
}

}  // namespace

std::vector<ExportedFile> ray_files(const FleetExport& fleet) {
  nlohmann::json applications = nlohmann::json::array();
  for (const ExportedMachines& machines : fleet.machines) {
    applications.push_back(ray_application(fleet, machines, applications.empty()));
  }
  const nlohmann::json config{{"proxy_location", "EveryNode"},
                              {"http_options", {{"host", "127.0.0.1"}, {"port", 8000}}},
                              {"applications", applications}};
  return {{"serve.yaml", fmt::format("# Ray Serve: {}\n# serve deploy serve.yaml    in a folder with stash_ray.py\n",
                                     fleet.market->model) +
                             yaml_text(config)},
          {"stash_ray.py", ray_module(fleet)}};
}

}  // namespace stash
