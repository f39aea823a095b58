#include "stash/fleet/live/fleet_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/units.h"

namespace stash {
namespace {

constexpr int kMostWanted = 1000;       // machines of one type; a policy that asks for more is not believed
constexpr double kFirstPatience_s = 5;  // after a provider that could not start machines; then twice as long each time
constexpr double kMostPatience_s = 300;
constexpr double kSave_s = 2;  // of time: what a killed controller forgets at most of what it counted

}  // namespace

FleetController::FleetController(const Market& market, FleetPolicy& policy, FleetProvider& provider,
                                 FleetControllerOptions options)
    : market_(market),
      policy_(policy),
      provider_(provider),
      options_(std::move(options)),
      log_(options_.folder / "decisions.jsonl"),
      book_(options_.speed),
      bill_(market, policy.price_ratio()),
      begun_ns_(options_.now_ns()),
      counts_(market.machines.size()),
      wanted_(market.machines.size()),
      leaving_(market.machines.size()) {
  if (const auto record = read_fleet_record(options_.folder / "fleet.json")) resume(*record);
}

double FleetController::now_s() const { return seconds(options_.now_ns() - begun_ns_) * options_.speed; }

int FleetController::ready() const {
  int sum = 0;
  for (const TypeCount& one : counts_) sum += one.ready + one.spot_ready;
  return sum;
}

int FleetController::starting() const {
  int sum = 0;
  for (const TypeCount& one : counts_) sum += one.starting + one.spot_starting;
  return sum;
}

void FleetController::resume(const FleetRecord& record) {
  if (record.boot != boot_id()) return;  // clocks and processes of before are gone
  std::vector<std::string> types;
  for (const MachineType& type : market_.machines) types.push_back(type.name);
  if (record.types != types || record.model != market_.model || record.provider != options_.provider) {
    throw Error(
        fmt::format("{} is the record of another fleet (model {}, provider {}): name another --folder, or end "
                    "that fleet first",
                    (options_.folder / "fleet.json").string(), record.model, record.provider));
  }
  begun_ns_ = record.begun_ns;
  for (std::size_t i = 0; i < wanted_.size(); ++i) wanted_[i] = {record.wanted[i], record.wanted_spot[i]};
  std::vector<LoadMinute> minutes;
  for (std::size_t i = 0; i < record.minute_requests.size(); ++i) {
    minutes.push_back({.requests = record.minute_requests[i],
                       .peak_5s = record.minute_peaks[i],
                       .missed = record.minute_missed[i],
                       .hole = record.minute_holes[i] != 0});
  }
  LatencyCounts latencies;
  latencies.counts = record.latency_counts;
  latencies.sum_s = record.latency_sum_s;
  latencies.number = record.latencies;
  book_.resume(std::move(minutes), record.counts, std::move(latencies));
  bill_.paid = record.paid;
  bill_.ended = record.ended;
  changes_ = record.changes;
  book_.note_unknown(record.saved_s, now_s());
  load_known_s_ = decided_s_ = now_s();
  next_decision_s_ = now_s() + policy_.period_s();  // first it sees what there is
  log_.write(now_s(), {{"event", "resumed"}, {"away_s", now_s() - record.saved_s}});
}

void FleetController::tick() {
  trouble_.clear();
  look();
  read_load();
  if (machines_known_) replace_lost();
  if (now_s() >= next_decision_s_) decide();
  if (seconds(options_.now_ns() - saved_ns_) >= kSave_s) save();
}

void FleetController::look() {
  machines_known_ = false;
  std::vector<LiveMachine> found;
  try {
    found = provider_.look();
    check_machines(found, market_.machines.size());
  } catch (const Error& error) {
    return fail(fmt::format("the machines are not known: {}", error.what()));
  }
  note_changes(found);
  machines_ = std::move(found);
  machines_known_ = true;
  bill_.observe(now_s(), machines_);
  count_machines();
}

void FleetController::note_changes(const std::vector<LiveMachine>& found) {
  for (const LiveMachine& before : machines_) {
    const auto now = std::ranges::find(found, before.id, &LiveMachine::id);
    if (now == found.end()) {
      note_gone(before);
    } else if (now->state == MachineState::draining && before.state != MachineState::draining) {
      int& leaving = of(leaving_, {before.type, before.spot});
      leaving = std::max(leaving - 1, 0);
    } else if (now->state == MachineState::ready && before.state == MachineState::starting) {
      log_.write(now_s(), {{"event", "ready"}, {"machine", now->id}});
    }
  }
}

void FleetController::note_gone(const LiveMachine& machine) {
  int& leaving = of(leaving_, {machine.type, machine.spot});
  const bool was_asked = machine.state == MachineState::draining || leaving > 0;
  if (machine.state != MachineState::draining) leaving = std::max(leaving - 1, 0);
  log_.write(now_s(), {{"event", was_asked ? "gone" : "lost"}, {"machine", machine.id}});
  if (was_asked) return;
  count_change("lost", {machine.type, machine.spot}, 1, "died or was taken away");
  options_.tell(fmt::format("{} was lost; it is replaced", machine.id));
}

void FleetController::count_machines() {
  for (TypeCount& one : counts_) one = {.busy_ratio = one.busy_ratio};
  for (const LiveMachine& one : machines_) {
    TypeCount& count = counts_[static_cast<std::size_t>(one.type)];
    if (one.state == MachineState::starting) ++(one.spot ? count.spot_starting : count.starting);
    if (one.state == MachineState::ready) ++(one.spot ? count.spot_ready : count.ready);
  }
}

// Over the time since the last decision.
void FleetController::count_busy() {
  const double span_s = (now_s() - decided_s_) / options_.speed;
  std::vector<double> busy_s(counts_.size()), devices(counts_.size());
  std::map<std::string, double> now;
  for (const LiveMachine& one : machines_) {
    if (!one.busy_s) continue;
    now[one.id] = *one.busy_s;
    const auto before = busy_before_.find(one.id);
    if (before == busy_before_.end() || one.state != MachineState::ready) continue;
    const auto type = static_cast<std::size_t>(one.type);
    busy_s[type] += std::max(*one.busy_s - before->second, 0.0);
    devices[type] += market_.machines[type].devices;
  }
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const double all_s = devices[i] * span_s;
    counts_[i].busy_ratio = all_s > 0 ? std::clamp(busy_s[i] / all_s, 0.0, 1.0) : 0;
  }
  busy_before_ = std::move(now);
}

void FleetController::read_load() {
  try {
    provider_.read_load(book_, now_s());
    load_known_s_ = now_s();
  } catch (const Error& error) {
    book_.note_unknown(load_known_s_, now_s());
    load_known_s_ = now_s();
    fail(fmt::format("the load is not known: {}", error.what()));
  }
}

void FleetController::decide() {
  next_decision_s_ = now_s() + policy_.period_s();
  if (!machines_known_) return keep("the provider did not say what machines there are");
  count_busy();
  decided_s_ = now_s();
  const auto minutes = book_.minutes(now_s());
  FleetOrder order;
  try {
    order = checked(policy_.decide({.now_s = now_s(), .minutes = minutes, .machines = counts_}));
  } catch (const std::exception& error) {
    fail(fmt::format("the policy {} failed: {}", policy_.name(), error.what()));
    return keep(error.what());
  }
  // A fleet that was found without its record is not made smaller before its load has been seen.
  const bool is_load_known = trouble_.empty() && !minutes.empty() && !minutes.back().hole;
  carry_out(order, is_load_known);
}

// With at least one machine: nothing could be served without, and a start takes minutes.
FleetOrder FleetController::checked(FleetOrder order) {
  if (order.wanted.size() != counts_.size()) {
    throw Error(fmt::format("it orders {} types of machines, and there are {}", order.wanted.size(), counts_.size()));
  }
  int all = 0;
  for (const WantedType& one : order.wanted) {
    if (one.machines < 0 || one.spot < 0 || one.machines > kMostWanted || one.spot > kMostWanted) {
      throw Error(fmt::format("it orders {} machines and {} spot machines of one type", one.machines, one.spot));
    }
    all += one.machines + one.spot;
  }
  if (all > 0 || counts_.empty()) return order;
  const auto cheapest = std::ranges::min_element(market_.machines, {}, &MachineType::usd_per_hour);
  std::size_t which = static_cast<std::size_t>(cheapest - market_.machines.begin());
  // One that is there already need not be started.
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i].ready > 0 && counts_[which].ready == 0) which = i;
  }
  order.wanted[which].machines = 1;
  order.reason += order.reason.empty() ? "one machine at least" : "; one machine at least";
  return order;
}

void FleetController::carry_out(const FleetOrder& order, bool may_shrink) {
  nlohmann::json wanted = nlohmann::json::object(), there = nlohmann::json::object();
  bool all_started = true;
  std::string kept;
  const auto each = [&](const auto& act) {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      act(Slot{static_cast<int>(i), false}, order.wanted[i].machines);
      act(Slot{static_cast<int>(i), true}, order.wanted[i].spot);
    }
  };
  each([&](Slot slot, int count) {
    const std::string name = market_.machines[static_cast<std::size_t>(slot.type)].name + (slot.spot ? " (spot)" : "");
    if (count > 0) wanted[name] = count;
    if (present(slot) > 0) there[name] = present(slot);
    of(wanted_, slot) = std::max(count, may_shrink ? 0 : std::min(present(slot), kMostWanted));
    if (count > present(slot)) all_started = start(slot, count - present(slot), order.reason) && all_started;
  });
  each([&](Slot slot, int count) {
    const int over = present(slot) - count;
    if (over <= 0) return;
    if (!may_shrink) kept = trouble_.empty() ? "the load of the last minute is not known" : trouble_;
    if (!all_started) kept = "other machines could not be started";
    if (kept.empty()) return stop(slot, over, order.reason);
    of(wanted_, slot) = present(slot);
  });
  const auto minutes = book_.minutes(now_s());
  const LoadMinute last = minutes.empty() ? LoadMinute{} : minutes.back();
  log_.write(now_s(), {{"event", "decision"},
                       {"policy", policy_.name()},
                       {"requests", minutes.empty() || last.hole ? nlohmann::json() : nlohmann::json(last.requests)},
                       {"peak_5s", minutes.empty() || last.hole ? nlohmann::json() : nlohmann::json(last.peak_5s)},
                       {"missed", minutes.empty() || last.hole ? nlohmann::json() : nlohmann::json(last.missed)},
                       {"machines", there},
                       {"wanted", wanted},
                       {"reason", order.reason},
                       {"kept", kept.empty() ? nlohmann::json() : nlohmann::json(kept)}});
  if (!kept.empty() && kept != last_kept_) options_.tell(fmt::format("no machine is stopped: {}", kept));
  last_kept_ = kept;
}

bool FleetController::start(Slot slot, int count, const std::string& reason) {
  const std::string& type = market_.machines[static_cast<std::size_t>(slot.type)].name;
  try {
    provider_.start(slot.type, slot.spot, count);
  } catch (const Error& error) {
    patience_s_ = std::clamp(2 * patience_s_, kFirstPatience_s, kMostPatience_s);
    retry_s_ = now_s() + patience_s_ * options_.speed;
    log_.write(now_s(), {{"event", "refused"}, {"type", type}, {"count", count}, {"why", error.what()}});
    fail(fmt::format("{} more {} could not be started: {}", count, type, error.what()));
    return false;
  }
  patience_s_ = retry_s_ = 0;
  count_change("started", slot, count, reason);
  options_.tell(fmt::format("starts {} {}{}: {}", count, type, slot.spot ? " (spot)" : "", reason));
  return true;
}

void FleetController::stop(Slot slot, int count, const std::string& reason) {
  const std::string& type = market_.machines[static_cast<std::size_t>(slot.type)].name;
  try {
    provider_.stop(slot.type, slot.spot, count);
  } catch (const Error& error) {
    of(wanted_, slot) = present(slot);
    log_.write(now_s(), {{"event", "refused"}, {"type", type}, {"count", -count}, {"why", error.what()}});
    return fail(fmt::format("{} {} could not be stopped: {}", count, type, error.what()));
  }
  of(leaving_, slot) += count;
  count_change("stopped", slot, count, reason);
  options_.tell(fmt::format("stops {} {}{}: {}", count, type, slot.spot ? " (spot)" : "", reason));
}

// As soon as it is seen, and not only when the policy is asked again.
void FleetController::replace_lost() {
  if (now_s() < retry_s_) return;
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    for (const bool spot : {false, true}) {
      const Slot slot{static_cast<int>(i), spot};
      const int missing = of(wanted_, slot) - present(slot) + of(leaving_, slot);
      if (missing > 0 && !start(slot, missing, "as many as ordered")) return;
      if (missing > 0) return look();
    }
  }
}

int& FleetController::of(std::vector<WantedType>& counts, Slot slot) {
  WantedType& one = counts[static_cast<std::size_t>(slot.type)];
  return slot.spot ? one.spot : one.machines;
}

int FleetController::present(Slot slot) const {
  const TypeCount& count = counts_[static_cast<std::size_t>(slot.type)];
  return slot.spot ? count.spot_ready + count.spot_starting : count.ready + count.starting;
}

void FleetController::keep(const std::string& why) { log_.write(now_s(), {{"event", "kept"}, {"why", why}}); }

void FleetController::count_change(std::string_view what, Slot slot, int machines, const std::string& reason) {
  saved_ns_ = 0;  // it is kept at the end of this tick
  std::string type = market_.machines[static_cast<std::size_t>(slot.type)].name;
  if (slot.spot) type += " (spot)";
  // Reasons hold figures; only the first ones of a type are kept, so that a fleet may run for years.
  constexpr std::size_t kMostChanges = 100;
  const auto same = std::ranges::find_if(changes_, [&](const FleetChange& one) {
    return one.what == what && one.type == type && (one.reason == reason || changes_.size() >= kMostChanges);
  });
  if (same != changes_.end()) {
    same->machines += machines;
  } else {
    changes_.push_back({std::string(what), type, reason, machines});
  }
}

void FleetController::fail(const std::string& what) {
  if (trouble_.empty()) trouble_ = what;
}

void FleetController::save() {
  saved_ns_ = options_.now_ns();
  FleetRecord record;
  record.boot = boot_id();
  record.begun_ns = begun_ns_;
  record.saved_s = now_s();
  record.model = market_.model;
  record.policy = policy_.name();
  record.provider = options_.provider;
  record.address = provider_.address();
  for (std::size_t i = 0; i < market_.machines.size(); ++i) {
    record.types.push_back(market_.machines[i].name);
    record.wanted.push_back(wanted_[i].machines);
    record.wanted_spot.push_back(wanted_[i].spot);
  }
  record.counts = book_.totals();
  record.latency_counts = book_.latencies().counts;
  record.latency_sum_s = book_.latencies().sum_s;
  record.latencies = book_.latencies().number;
  for (const LoadMinute& one : book_.minutes(now_s() + 60)) {  // with the one that has begun
    record.minute_requests.push_back(one.requests);
    record.minute_peaks.push_back(one.peak_5s);
    record.minute_missed.push_back(one.missed);
    record.minute_holes.push_back(one.hole ? 1 : 0);
  }
  record.paid = bill_.paid;
  record.ended = bill_.ended;
  record.changes = changes_;
  try {
    write_fleet_record(options_.folder / "fleet.json", record);
  } catch (const Error& error) {
    fail(error.what());  // the fleet stays; it is written again in a moment
  }
}

}  // namespace stash
