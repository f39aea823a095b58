#include "stash/measure/inspection.h"

#include "stash/core/error.h"
#include "stash/launch/rank_facts.h"
#include "stash/measure/link_sweep.h"
#include "stash/measure/switch/install_switch.h"
#include "stash/ruler/clocks.h"

namespace stash {
namespace {

// What both end with: the supervisor learns that all went well.
void finish(const RankSetup& setup, const Events& events, Control& control) {
  if (setup.speaks()) events.send(StoppedEvent{StoppedBy::precision});
  setup.state().beat(Phase::done);
  control.barrier();
}

}  // namespace

void inspect_links(const RankSetup& setup, const Events& events) {
  const Job& job = setup.order.job;
  if (!setup.order.max_link_bytes) throw Error("the order to time links does not say up to which size");
  GroupControl control = control_of(setup);
  Device device(job, setup.local_rank());
  auto log = std::make_shared<CollectiveLog>();
  const auto backend = install_switch(setup.group, device.torch_device(), log);
  backend->set_state(setup.state());
  if (setup.node) {
    backend->set_node(setup.node->getBackend(device.torch_device().type()), setup.team.ranks_here());
  }
  if (job.inject.link_bytes_per_s) backend->set_link(*job.inject.link_bytes_per_s, nullptr);
  const std::vector<LinkTime> rows =
      sweep_links(*backend, control, setup.team, device.torch_device(), {.most_bytes = *setup.order.max_link_bytes},
                  [&](std::string_view phase) {
                    if (setup.speaks()) events.send(PhaseEvent{std::string(phase)});
                  });
  if (setup.speaks()) {
    events.send(PlacesEvent{setup.team.places()});
    events.send(LinksEvent{rows});
  }
  finish(setup, events, control);
}

void inspect_ranks(const RankSetup& setup, const Events& events) {
  GroupControl control = control_of(setup);
  const RankPlace& place = setup.team.places()[static_cast<std::size_t>(control.rank())];
  control.barrier();
  const double clock_s = control.size() > 1 ? align_clocks(control).uncertainty_s : 0;
  const RankFacts own{.rank = control.rank(),
                      .host = place.host,
                      .node = place.node,
                      .device = setup.device_id,
                      .interface = setup.order.interface,
                      .clock_s = clock_s};
  for (const std::string& line : control.gather_text(to_line(FactsEvent{{own}}))) events.send_lines(line);
  finish(setup, events, control);
}

}  // namespace stash
