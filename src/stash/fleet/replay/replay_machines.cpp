#include "stash/fleet/replay/replay_machines.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/fleet/market/capacity.h"
#include "stash/fleet/replay/varying_draw.h"

namespace stash {
namespace {

constexpr std::size_t kMostOrdered = 20'000;

}  // namespace

ReplayMachines::ReplayMachines(const Market& market, const ReplayOptions& options, double price_ratio,
                               LatencyHistogram& latencies)
    : market_(&market),
      options_(&options),
      price_ratio_(price_ratio),
      latencies_(&latencies),
      random_(options.seed),
      tables_(market.machines.size()),
      logs_(market.machines.size()),
      uses_(market.machines.size()),
      counts_(market.machines.size()),
      ready_s_(market.machines.size()),
      busy_before_s_(market.machines.size()),
      ready_before_s_(market.machines.size()),
      now_s_(options.span.from_s) {
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    uses_[i].type = market.machines[i].name;
    logs_[i].latencies = latencies_;
  }
  if (options.faults.kill_every_s > 0) next_kill_s_ = now_s_ + options.faults.kill_every_s;
  next_s_ = next_kill_s_;
}

double ReplayMachines::usd() const {
  double sum = 0;
  for (const TypeUse& use : uses_) sum += use.usd;
  return sum;
}

const BatchTable& ReplayMachines::table(std::size_t type) {
  if (!tables_[type]) {
    const MachineType& machine = market_->machines[type];
    const auto capacity = capacity_of(machine, options_->objective);
    if (!capacity) {
      throw UsageError(fmt::format("{} cannot answer within {}: a batch of one takes {}", machine.name,
                                   format_duration(options_->objective.latency_s),
                                   duration_at_least(machine.times.at(1))));
    }
    tables_[type].emplace(machine, options_->objective.latency_s, capacity->batch, capacity->per_s / machine.devices);
  }
  return *tables_[type];
}

void ReplayMachines::apply(const FleetOrder& order) {
  if (order.wanted.size() != counts_.size()) {
    throw Error(
        fmt::format("a policy orders {} types of machines and the market has {}", order.wanted.size(), counts_.size()));
  }
  for (std::size_t type = 0; type < counts_.size(); ++type) {
    change(type, false, order.wanted[type].machines);
    change(type, true, order.wanted[type].spot);
  }
  renew();
}

// The newest go first: those that still start, then those that ran for the shortest time.
void ReplayMachines::change(std::size_t type, bool is_spot, int wanted) {
  int present = 0;
  for (const auto& machine : machines_) present += machine->type == type && machine->is_spot == is_spot ? 1 : 0;
  for (; present < wanted; ++present) start(type, is_spot);
  for (std::size_t i = machines_.size(); i-- > 0 && present > std::max(0, wanted);) {
    if (machines_[i]->type != type || machines_[i]->is_spot != is_spot) continue;
    stop(machines_.begin() + static_cast<std::ptrdiff_t>(i));
    --present;
  }
}

void ReplayMachines::start(std::size_t type, bool is_spot) {
  const MachineType& kind = market_->machines[type];
  if (machines_.size() >= kMostOrdered) {
    throw Error(fmt::format("a policy orders more than {} machines", format_count(kMostOrdered)));
  }
  if (is_spot && !kind.spot_usd_per_hour) throw Error(fmt::format("{} has no spot price", kind.name));
  const bool is_taken_over = now_s_ < options_->span.from_s + options_->taken_over_s;
  const double start_s = draw_s(kind.start, random_) * options_->faults.start_time_ratio;
  auto machine = std::make_unique<Machine>();
  machine->type = type;
  machine->is_spot = is_spot;
  machine->ready_s = now_s_ + (is_taken_over ? 0 : start_s);
  if (is_spot && kind.interruptions_per_hour > 0) {
    machine->taken_s = machine->ready_s +
                       std::exponential_distribution<double>(kind.interruptions_per_hour / kSecondsPerHour)(random_);
  }
  const BatchTable& batches = table(type);
  for (int i = 0; i < kind.devices; ++i) {
    machine->devices.emplace_back(batches, options_->objective.latency_s, machine->ready_s, logs_[type]);
  }
  if (is_taken_over) machine->is_ready = true;
  ++uses_[type].starts;
  machines_.push_back(std::move(machine));
}

void ReplayMachines::charge(Machine& machine, double s) {
  const MachineType& kind = market_->machines[machine.type];
  const double usd_per_hour = machine.is_spot ? *kind.spot_usd_per_hour : kind.usd_per_hour;
  const double usd = price_ratio_ * usd_per_hour * s / kSecondsPerHour;
  TypeUse& use = uses_[machine.type];
  use.usd += usd;
  use.machine_hours += s / kSecondsPerHour;
  if (machine.is_spot) {
    use.spot_usd += usd;
    use.spot_hours += s / kSecondsPerHour;
  }
  machine.billed_s += s;
}

void ReplayMachines::bill(double to_s) {
  const double s = to_s - now_s_;
  for (const auto& machine : machines_) {
    charge(*machine, s);
    if (machine->is_ready) ready_s_[machine->type] += s;
  }
}

// It ends what is inside, and is paid until then.
void ReplayMachines::stop(Machines::iterator machine) {
  Machine& one = **machine;
  double end_s = now_s_;
  for (DeviceQueue& device : one.devices) end_s = std::max(end_s, one.is_ready ? device.finish_all() : end_s);
  charge(one, end_s - now_s_);
  const double least_s = market_->machines[one.type].least_billed_s;
  if (one.billed_s < least_s) charge(one, least_s - one.billed_s);
  machines_.erase(machine);
}

void ReplayMachines::kill_one() {
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    if (machines_[i]->is_ready) ready.push_back(i);
  }
  if (ready.empty()) return;
  const std::size_t chosen = ready[std::uniform_int_distribution<std::size_t>(0, ready.size() - 1)(random_)];
  Machine& machine = *machines_[chosen];
  for (DeviceQueue& device : machine.devices) {
    device.advance(now_s_);
    lost_ += device.inside();
  }
  ++killed_;
  machines_.erase(machines_.begin() + static_cast<std::ptrdiff_t>(chosen));
}

void ReplayMachines::make_ready_due() {
  for (const auto& machine : machines_) {
    if (!machine->is_ready && machine->ready_s <= now_s_) machine->is_ready = true;
  }
}

// Clouds announce it half a minute before or more, in which it ends what is inside.
void ReplayMachines::take_away_due() {
  for (std::size_t i = machines_.size(); i-- > 0;) {
    if (machines_[i]->taken_s > now_s_) continue;
    stop(machines_.begin() + static_cast<std::ptrdiff_t>(i));
    ++taken_away_;
  }
}

void ReplayMachines::advance(double now_s, bool in_hole) {
  while (next_s_ <= now_s) {
    if (!in_hole) bill(next_s_);
    now_s_ = next_s_;
    make_ready_due();
    take_away_due();
    if (next_kill_s_ <= now_s_) {
      kill_one();
      next_kill_s_ += options_->faults.kill_every_s;
    }
    renew();
  }
  if (!in_hole) bill(now_s);
  now_s_ = now_s;
}

void ReplayMachines::renew() {
  std::vector<RoutedDevice> routed;
  next_s_ = next_kill_s_;
  for (const auto& machine : machines_) {
    next_s_ = std::min({next_s_, machine->taken_s, machine->is_ready ? kNever_s : machine->ready_s});
    if (!machine->is_ready) continue;
    for (DeviceQueue& device : machine->devices) routed.push_back({&device, table(machine->type).capacity_per_s()});
  }
  router_.set(routed);
}

void ReplayMachines::settle() {
  for (const auto& machine : machines_) {
    for (DeviceQueue& device : machine->devices) device.advance(now_s_);
  }
}

void ReplayMachines::stop_all() {
  for (const auto& machine : machines_) {
    for (DeviceQueue& device : machine->devices) device.finish_all();
  }
  machines_.clear();
  renew();
}

std::span<const TypeCount> ReplayMachines::counts() {
  for (std::size_t type = 0; type < counts_.size(); ++type) {
    const double busy_s = logs_[type].busy_s - busy_before_s_[type];
    const double ready_s = (ready_s_[type] - ready_before_s_[type]) * market_->machines[type].devices;
    counts_[type] = {};
    counts_[type].busy_ratio = ready_s > 0 ? std::clamp(busy_s / ready_s, 0.0, 1.0) : 0;
    busy_before_s_[type] = logs_[type].busy_s;
    ready_before_s_[type] = ready_s_[type];
  }
  for (const auto& machine : machines_) {
    TypeCount& count = counts_[machine->type];
    ++(machine->is_ready ? (machine->is_spot ? count.spot_ready : count.ready)
                         : (machine->is_spot ? count.spot_starting : count.starting));
  }
  return counts_;
}

}  // namespace stash
