#include "stash/measure/script/script_session.h"

#include "stash/attribute/attribute.h"
#include "stash/core/clock.h"
#include "stash/measure/engine/device.h"
#include "stash/measure/ruler_events.h"
#include "stash/ruler/rounds.h"

namespace stash {
namespace {

constexpr int kFreeSteps = 3;       // the reducer orders its buckets, allocators and kernels settle
constexpr int kRecordingSteps = 1;  // more: the profiler warms up in one and records two
constexpr double kEndGrace_s = 1;   // for the ruler to notice that the script has ended

}  // namespace

ScriptSession::ScriptSession(ScriptHooks hooks, int events_fd)
    : hooks_(std::move(hooks)),
      events_(events_fd),
      shared_(SharedState::open(-1, 1)),
      log_(std::make_shared<CollectiveLog>()),
      spans_(std::make_shared<SpanLog>()) {
  log_->select(Condition::joined, true);
}

ScriptSession::~ScriptSession() { end(); }

void ScriptSession::add_group(const c10::intrusive_ptr<c10d::ProcessGroup>& group, c10::Device device) {
  SwitchBackend& backend = switches_.add(group, device, log_);
  backend.set_position(position_);
  backend.set_spans(spans_);
  if (start_.job.inject.link_bytes_per_s) backend.set_link(*start_.job.inject.link_bytes_per_s);
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
  const Injection& inject = start_.job.inject;
  if (inject.link_bytes_per_s) {
    for (const auto& backend : switches_.all()) backend->set_link(*inject.link_bytes_per_s);
  }
  const auto delay = inject.rank_delay_s.find(start_.rank);
  if (delay != inject.rank_delay_s.end()) delay_ns_ = nanoseconds(delay->second);
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
  for (const auto& backend : switches_.all()) backend->set_position(position);
}

std::optional<double> ScriptSession::enter(Condition condition, int steps) {
  condition_ = condition;
  takes_part_ = condition != Condition::solo || start_.first_on_node;
  owed_steps_ = 0;
  runs_ = 0;
  gate_->wait_for_stop();
  // One rank sums with nobody: what its collectives cost is in every condition.
  set_position(control_->size() == 1 ? SwitchPosition::pass : switch_position(condition));
  return hooks_.enter(condition, steps);
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
  RulerEvents report(events_, start_.rank == 0);
  const RulerParts parts{.job = start_.job, .workload = *this, .control = *control_, .report = report};
  Ruler ruler(parts);
  gate_->wait_for_stop();
  if (start_.rank == 0) events_.send(PhaseEvent{"warming up every condition"});
  ruler.pilot(present_conditions(start_.job, count_nodes(start_.places)));
  return run_rounds(ruler, parts, [] { return false; });
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
    hooks_.finish();
    report(reason);
    stop_script_ = !start_.keep_training;
  } catch (const StepsEnded&) {
    let_others_catch_up();
    return;  // what was measured so far has been reported
  } catch (const std::exception& error) {
    set_position(SwitchPosition::pass);
    events_.send(ErrorEvent{.kind = FaultKind::environment, .message = error.what(), .lost = {}});
  }
  measuring_ = false;
  gate_->open();
}

void ScriptSession::report(StoppedBy reason) {
  const std::string own = to_line(CollectivesEvent{log_->summary(start_.rank, collective_name)});
  for (const std::string& lines : control_->gather_text(own)) events_.send_lines(lines);
  if (start_.rank == 0) events_.send(StoppedEvent{reason});
}

}  // namespace stash
