#include "stash/measure/inspection.h"

#include <nlohmann/json.hpp>

#include "stash/core/profile_json.h"
#include "stash/launch/rank_facts.h"
#include "stash/measure/clocks.h"
#include "stash/measure/install_switch.h"
#include "stash/measure/link_sweep.h"

namespace stash {
namespace {

Job job_of(const RankSetup& setup) { return job_from_json(nlohmann::json::parse(setup.job_json)); }

// What both end with: the supervisor learns that all went well.
void finish(const RankSetup& setup, const Events& events, Control& control, RankState& state) {
  if (setup.speaks) events.send("stopped", {{"by", to_string(StoppedBy::precision)}});
  state.beat(Phase::done);
  control.barrier();
}

}  // namespace

void inspect_links(const RankSetup& setup, const Events& events, RankState& state) {
  const Job job = job_of(setup);
  Control control = control_of(setup);
  Device device(job, setup.local_rank);
  auto log = std::make_shared<CollectiveLog>();
  const auto backend = install_switch(setup.group, device.torch_device(), log);
  backend->set_state(state);
  if (setup.node) {
    backend->set_node(setup.node->getBackend(device.torch_device().type()), setup.members->ranks_here());
  }
  if (job.inject.link_bytes_per_s) backend->set_link(*job.inject.link_bytes_per_s);
  const std::vector<LinkTime> rows = sweep_links(*backend, control, *setup.members, device.torch_device(),
                                                 {.most_bytes = job.bucket_bytes}, [&](std::string_view phase) {
                                                   if (setup.speaks) events.phase(phase);
                                                 });
  if (setup.speaks) {
    events.send_rows("places", setup.members->places());
    events.send_rows("links", rows);
  }
  finish(setup, events, control, state);
}

void inspect_ranks(const RankSetup& setup, const Events& events, RankState& state) {
  Control control = control_of(setup);
  const RankPlace& place = setup.members->places()[static_cast<std::size_t>(control.rank())];
  control.barrier();
  const double clock_s = control.size() > 1 ? align_clocks(control).uncertainty_s : 0;
  const auto machine = nlohmann::json::parse(setup.machine_json);
  const RankFacts own{.rank = control.rank(),
                      .host = place.host,
                      .node = place.node,
                      .device = machine.value("device", ""),
                      .interface = machine.value("interface", ""),
                      .clock_s = clock_s};
  nlohmann::json rows = nlohmann::json::array();
  for (const std::string& text : control.gather_text(to_json(own).dump())) rows.push_back(nlohmann::json::parse(text));
  if (control.rank() == 0) events.send("facts", {{"rows", std::move(rows)}});
  finish(setup, events, control, state);
}

}  // namespace stash
