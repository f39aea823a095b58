#include "stash/measure/script/script_session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

#include "stash/attribute/attribute.h"
#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/launch/group_variants.h"
#include "stash/measure/engine/device.h"
#include "stash/measure/ruler_events.h"
#include "stash/ruler/rounds.h"

namespace stash {
namespace {

constexpr int kFreeSteps = 3;       // the reducer orders its buckets, allocators and kernels settle
constexpr int kRecordingSteps = 1;  // more: the profiler warms up in one and records two
constexpr const char* kLateGroups = "made meanwhile";
constexpr double kEndGrace_s = 1;  // for the ruler to notice that the script has ended

// What a rank finds whose peers are gone, in words of the script's.
std::string why_ended(std::string_view what) {
  const bool is_gone = what.find("Connection closed by peer") != std::string_view::npos ||
                       what.find("Connection reset by peer") != std::string_view::npos;
  if (!is_gone) return std::string(what);
  return "another rank ended while this one goes on: measuring is over, and what was measured until then is kept; let "
         "all "
         "ranks make equally many steps";
}

}  // namespace

ScriptSession::ScriptSession(ScriptHooks hooks, int events_fd)
    : hooks_(std::move(hooks)),
      events_(events_fd),
      shared_(SharedState::open(-1, 1)),
      log_(std::make_shared<CollectiveLog>()),
      spans_(std::make_shared<SpanLog>()) {
  log_->select(std::nullopt, true);  // of no condition yet
}

ScriptSession::~ScriptSession() { end(); }

void ScriptSession::add_group(const c10::intrusive_ptr<c10d::ProcessGroup>& group, c10::Device device, int number) {
  SwitchBackend& backend = switches_.add(group, device, number, log_);
  backend.set_position(position_of(backend));
  backend.set_spans(spans_);
  slow_down(backend);
}

// What was asked for on purpose: a link of its group's own, or everybody's.
void ScriptSession::slow_down(SwitchBackend& backend) const {
  const Injection& inject = start_.job.inject;
  const auto own = inject.group_link_bytes_per_s.find(std::string(log_->group_name(backend.group())));
  const bool has_own = own != inject.group_link_bytes_per_s.end();
  if (has_own || inject.link_bytes_per_s) backend.set_link(has_own ? own->second : *inject.link_bytes_per_s, nullptr);
}

void ScriptSession::check_injected_groups() const {
  for (const auto& [name, rate] : start_.job.inject.group_link_bytes_per_s) {
    const auto names = std::views::transform(start_.groups, &CommGroup::name);
    if (std::ranges::find(names, name) != names.end()) continue;
    warn(fmt::format("--inject link:{}: the script has no process group of this name; it has {}", name,
                     start_.groups.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  }
}

// Those that wait make the steps that they owe now, beside the one that would have been alone: for them its barriers
// have passed.
void ScriptSession::before_group() {
  if (!measuring_ || called_ || condition_ != Condition::solo || !takes_part_ || control_->size() == 1) return;
  called_ = true;
  disturbed_ = true;
  if (runs_ < 2) control_->meet_ahead();  // the one between lead-in and window
  control_->meet_ahead();                 // the one in leave()
}

// A group that came later goes with those of its name; of others it is said that they were made meanwhile.
void ScriptSession::name_group(int number, const std::string& description) {
  const bool known = std::ranges::find(start_.groups, description, &CommGroup::name) != start_.groups.end();
  log_->name_group(number, known ? description : kLateGroups);
}

void ScriptSession::set_node(const c10::intrusive_ptr<c10d::ProcessGroup>& group, c10::Device device,
                             c10::intrusive_ptr<c10d::Backend> backend, std::vector<int> ranks) {
  auto* const own = dynamic_cast<SwitchBackend*>(group->getBackend(device.type()).get());
  if (own != nullptr) own->set_node(std::move(backend), std::move(ranks));
}

void ScriptSession::start(ScriptStart start) {
  start_ = std::move(start);
  control_ = std::make_unique<GroupControl>(start_.control, shared_.rank(0));
  make_probe();
  for (const auto& [number, name] : start_.group_names) log_->name_group(number, name);
  for (const CommGroup& group : start_.groups) calls_before_[group.name] = log_->sum_of(group.name).count;
  for (const auto& backend : switches_.all()) slow_down(*backend);
  check_injected_groups();
  delay_ns_ = injected_delay_ns();
  gate_ =
      std::make_unique<StepGate>(kFreeSteps + (start_.records_work ? kRecordingSteps : 0), [this] { synchronize(); });
  measuring_ = true;
  thread_ = std::thread([this] {
    measure();
    returned_ = true;
  });
}

bool ScriptSession::step_end() {
  if (!measuring_.load(std::memory_order_relaxed)) return stop_script_.load(std::memory_order_relaxed);
  spans_->mark(SpanKind::compute);
  if (delay_ns_ > 0) delay();
  spans_->end_step();
  gate_->step_end();
  spans_->begin(gate_->start_ns());  // where a traced window starts here
  return stop_script_.load(std::memory_order_relaxed);
}

void ScriptSession::delay() {
  synchronize();  // a sleeping host would hide behind work that is still queued
  sleep_until_ns(now_ns() + delay_ns_);
  spans_->skip();
}

void ScriptSession::add_wait_ns(std::int64_t ns) {
  waited_ns_.fetch_add(ns, std::memory_order_relaxed);
  spans_->mark(SpanKind::input_wait);
}

void ScriptSession::end() {
  if (!thread_.joinable()) return;
  gate_->end();
  // Ranks end together. One whose peers are gone may wait for them in vain: it is left behind.
  const std::int64_t deadline_ns = now_ns() + nanoseconds(kEndGrace_s);
  while (!returned_ && now_ns() < deadline_ns) sleep_until_ns(now_ns() + 1'000'000);
  if (returned_) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

void ScriptSession::set_position(SwitchPosition position) {
  position_ = position;
  for (const auto& backend : switches_.all()) backend->set_position(position_of(*backend));
}

// One rank sums with nobody: what that costs is in every condition. Groups of one name are switched together.
SwitchPosition ScriptSession::position_of(const SwitchBackend& backend) const {
  if (backend.getSize() == 1) return SwitchPosition::pass;
  if (!changed_ || position_ != SwitchPosition::pass) return position_;
  if (log_->group_name(backend.group()) != changed_->group) return position_;
  return changed_->change == GroupChange::off ? SwitchPosition::off : SwitchPosition::node;
}

WeightsAfter ScriptSession::weights_after(Condition condition) const {
  const SwitchPosition position = switch_position(condition);
  if (control_->size() == 1) return WeightsAfter::matching;
  if (position == SwitchPosition::off) return WeightsAfter::apart;
  const bool confined = position == SwitchPosition::node && count_nodes(start_.places) > 1;
  return changed_ || confined ? WeightsAfter::drifting : WeightsAfter::matching;
}

void ScriptSession::apply(const Variant& variant) {
  changed_ = changed_group(variant.name);
  if (changed_) return;
  const std::optional<Fix> fix = fix_of(variant.name);
  if (!fix) return Workload::apply(variant);
  if (fix->kind == FixKind::half_gradients) {
    probe_halves(fix->group);
    set_halves(fix->group, true);
  } else if (fix->kind == FixKind::no_delay) {
    if (start_.rank == fix->value) delay_ns_ = 0;
  } else {
    hooks_.change(variant.name);
  }
  fix_ = fix;
}

void ScriptSession::undo() {
  changed_.reset();
  const std::optional<Fix> fix = std::exchange(fix_, std::nullopt);
  if (!fix) return;
  if (fix->kind == FixKind::half_gradients) {
    set_halves(fix->group, false);
  } else if (fix->kind == FixKind::no_delay) {
    delay_ns_ = injected_delay_ns();
  } else {
    hooks_.change("");
  }
}

std::int64_t ScriptSession::injected_delay_ns() const {
  const auto& delays = start_.job.inject.rank_delay_s;
  const auto delay = delays.find(start_.rank);
  return delay == delays.end() ? 0 : nanoseconds(delay->second);
}

void ScriptSession::set_halves(const std::string& group, bool halves) {
  for (const auto& backend : switches_.all()) {
    if (log_->group_name(backend->group()) == group) backend->set_halves(halves);
  }
}

// A backend that cannot sum bf16 must not say so in the middle of the script's step. All of the group's ranks ask.
void ScriptSession::probe_halves(const std::string& group) {
  for (const auto& backend : switches_.all()) {
    if (log_->group_name(backend->group()) != group || backend->getSize() == 1) continue;
    try {
      std::vector<at::Tensor> few{at::zeros({8}, at::device(start_.device).dtype(at::kBFloat16))};
      backend->real()->allreduce(few)->wait();
    } catch (const std::exception&) {
      throw Error(fmt::format("its backend, {}, does not sum bf16", backend->getBackendName()));
    }
  }
}

std::optional<double> ScriptSession::enter(Condition condition, int steps) {
  condition_ = condition;
  takes_part_ = condition != Condition::solo || start_.first_on_node;
  owed_steps_ = 0;
  runs_ = 0;
  called_ = false;
  gate_->wait_for_stop();
  set_position(switch_position(condition));
  return hooks_.enter(condition, steps, weights_after(condition));
}

std::optional<double> ScriptSession::run(int steps) {
  ++runs_;
  if (takes_part_) return gate_->run(steps);
  owed_steps_ += steps;
  return std::nullopt;
}

// A script counts its steps, and some of them it makes together with all ranks: who waited now makes as many.
void ScriptSession::leave() {
  if (condition_ == Condition::solo) control_->barrier();  // not before the one that computes has ended
  if (owed_steps_ > 0) gate_->run(owed_steps_);
  owed_steps_ = 0;
}

// The script has ended while this rank was ahead of those that wait: they make their steps, and end as well.
void ScriptSession::let_others_catch_up() {
  if (condition_ != Condition::solo || !takes_part_) return;
  try {
    if (runs_ < 2) control_->barrier();  // the one between lead-in and window
    control_->barrier();                 // the one in leave()
  } catch (const std::exception&) {
    // They are gone already.
  }
}

void ScriptSession::make_probe() {
  probe_ = std::make_unique<RankProbe>(
      *log_, *spans_, start_.device,
      ProbeSources{.waited_s = [this] { return seconds(waited_ns_.load(std::memory_order_relaxed)); },
                   .queued_samples = [] { return std::optional<double>(); },  // the loader's own
                   .collect_device_times =
                       [this] {
                         for (const auto& backend : switches_.all()) backend->collect_device_times();
                       }});
}

void ScriptSession::synchronize() { synchronize_device(start_.device); }

double ScriptSession::stop_s() {
  const std::int64_t start_ns = now_ns();
  synchronize();
  return seconds(now_ns() - start_ns);
}

StoppedBy ScriptSession::rule() {
  RulerEvents report(events_, start_.rank, start_.rank == 0);
  const RulerParts parts{.job = start_.job, .workload = *this, .control = *control_, .report = report};
  Ruler ruler(parts);
  gate_->wait_for_stop();
  if (start_.rank == 0) events_.send(PhaseEvent{"warming up every condition"});
  const std::vector<Condition> conditions = present_conditions(start_.job, count_nodes(start_.places));
  ruler.pilot(conditions, choose_variants(conditions));
  return run_rounds(ruler, parts, [] { return false; });
}

// What the groups did in the steps since start() tells which are worth switching off. All ranks choose alike.
std::vector<Variant> ScriptSession::choose_variants(const std::vector<Condition>& conditions) {
  std::vector<double> own;
  for (const CommGroup& group : start_.groups) {
    const CollectiveLog::Sum sum = log_->sum_of(group.name);
    own.insert(own.end(), {static_cast<double>(sum.count - calls_before_[group.name]), sum.s});
  }
  std::vector<GroupActivity> activity(start_.groups.size());
  if (!activity.empty()) {
    for (const std::vector<double>& rank : control_->gather(own)) {
      for (std::size_t i = 0; i < activity.size(); ++i) {
        activity[i].calls = std::max(activity[i].calls, rank.at(2 * i));
        activity[i].s = std::max(activity[i].s, rank.at(2 * i + 1));
      }
    }
  }
  std::vector<Variant> variants = choose_group_variants(start_.groups, activity, conditions);
  if (start_.rank == 0 && !start_.groups.empty()) events_.send(GroupsEvent{start_.groups});
  if (start_.fixes) {
    FixVariants fixes = choose_fix_variants(own_fixes(), conditions);
    if (start_.rank == 0) events_.send(TriedEvent{fixes.tried});
    std::ranges::move(fixes.variants, std::back_inserter(variants));
  }
  return variants;
}

// Of what the library itself can change, and what the interpreter can.
std::vector<FixOffer> ScriptSession::own_fixes() const {
  std::vector<FixOffer> offers;
  for (const CommGroup& group : start_.groups) {
    const bool sums_gradients = std::ranges::find(group.used_by, "DDP") != group.used_by.end();
    if (!sums_gradients) continue;
    offers.push_back({{.kind = FixKind::half_gradients, .group = group.name},
                      group.ranks < 2 ? "one rank sums gradients with nobody" : ""});
  }
  for (const FixOffer& offer : *start_.fixes) {
    if (offer.fix.kind != FixKind::half_gradients) {
      offers.push_back(offer);
      continue;
    }
    for (FixOffer& own : offers) {  // what the interpreter says against it
      if (own.fix.kind == offer.fix.kind && own.why_not.empty()) own.why_not = offer.why_not;
    }
  }
  for (const auto& [rank, delay_s] : start_.job.inject.rank_delay_s) {
    offers.push_back({{.kind = FixKind::no_delay, .value = rank}});
  }
  return offers;
}

void ScriptSession::measure() {
  use_precise_sleep();
  try {
    if (start_.rank == 0) {
      events_.send(JobEvent{start_.job});  // first: it tells which process is rank 0
      events_.send(start_.machine);
      if (count_nodes(start_.places) > 1) events_.send(PlacesEvent{start_.places});
    }
    for (const std::string& warning : start_.warnings) warn(warning);
    const StoppedBy reason = rule();
    set_position(SwitchPosition::pass);
    if (start_.keep_training) put_batches_back();
    hooks_.finish();
    if (disturbed_) {
      warn(
          "the script makes process groups while it trains, which takes all ranks: none was alone in solo, so compute "
          "contains contention");
    }
    report(reason);
    stop_script_ = !start_.keep_training;
  } catch (const StepsEnded&) {
    let_others_catch_up();
    return;  // what was measured so far has been reported
  } catch (const std::exception& error) {
    set_position(SwitchPosition::pass);
    events_.send(ErrorEvent{.kind = FaultKind::environment, .message = why_ended(error.what()), .lost = {}});
  }
  measuring_ = false;
  gate_->open();
}

// A script that fetches its next batch early holds one that it was given to measure with: a step later it holds the one
// that it held before.
void ScriptSession::put_batches_back() {
  hooks_.enter(Condition::joined, 1, WeightsAfter::matching);
  gate_->run(1);
}

void ScriptSession::report(StoppedBy reason) {
  const std::string own = to_line(CollectivesEvent{log_->summary(start_.rank, collective_name)});
  for (const std::string& lines : control_->gather_text(own)) events_.send_lines(lines);
  if (start_.rank == 0) events_.send(StoppedEvent{reason});
}

}  // namespace stash
