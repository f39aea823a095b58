#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "stash/core/job.h"
#include "stash/core/step_gate.h"
#include "stash/launch/fix_variants.h"
#include "stash/launch/shared_state.h"
#include "stash/measure/events.h"
#include "stash/measure/group_control.h"
#include "stash/measure/rank_probe.h"
#include "stash/measure/switch/switches.h"
#include "stash/ruler/workload.h"

namespace stash {

// What becomes of the ranks' weights in the steps that follow: they stay alike where all collectives go on as issued.
enum class WeightsAfter {
  matching,  // they must be alike before, and are after
  drifting,  // they must be alike before, and are not after
  apart,     // no rank asks for the others'
};

// What only the script's interpreter can do. Called on the ruler's thread while the script waits.
struct ScriptHooks {
  // Batches are used again or come from the loader, as the condition asks; weights that drifted apart are put back.
  // Returns the share of the data's pages that is cached, where that is known.
  std::function<std::optional<double>(Condition, int steps, WeightsAfter)> enter;
  std::function<void()> finish;  // after the last window
  // Makes a fix of what the script's interpreter holds; an empty name undoes it. Error: it cannot.
  std::function<void(const std::string& name)> change;
};

struct ScriptStart {
  Job job;                                    // as far as the script has shown it
  c10::intrusive_ptr<c10d::Backend> control;  // null: one rank
  c10::Device device{c10::kCPU};
  bool first_on_node = true;  // computes in `solo`
  int rank = 0;
  std::vector<RankPlace> places;           // of all ranks
  std::vector<CommGroup> groups;           // of all ranks
  std::map<int, std::string> group_names;  // of this rank's, by number
  MachineEvent machine;
  std::vector<std::string> warnings;
  bool keep_training = false;
  bool records_work = false;                        // in the steps before the first window
  std::optional<std::vector<FixOffer>> fixes = {};  // that the interpreter can make; absent: none are asked for
};

// Somebody's training script under the ruler. The script's thread calls step_end() after each step; the ruler runs on
// a thread of its own and lets the script go for a number of steps at a time.
class ScriptSession final : public Workload {
 public:
  ScriptSession(ScriptHooks hooks, int events_fd);
  ~ScriptSession() override;

  // What the group issues on this device goes through a switch from now on. It keeps its number for all devices.
  void add_group(const c10::intrusive_ptr<c10d::ProcessGroup>& group, c10::Device device, int number);
  // The script's thread, before it makes a group: that takes all ranks, also those that wait while one computes alone.
  void before_group();
  // Of one that is added after start().
  void name_group(int number, const std::string& description);
  // The backend that spans those of the group's ranks that share this node. Before start().
  void set_node(const c10::intrusive_ptr<c10d::ProcessGroup>& group, c10::Device device,
                c10::intrusive_ptr<c10d::Backend> backend, std::vector<int> ranks);
  // The ruler's thread starts; it takes over after a few more steps.
  void start(ScriptStart start);
  // The script's thread, after each step. True: what was wanted is measured, and the script may end.
  bool step_end();
  // The script's thread, before and after it waits for a batch.
  void wait_begins() { spans_->mark(SpanKind::compute); }
  void add_wait_ns(std::int64_t ns);
  void end();  // the script comes to its end
  bool measuring() const { return measuring_.load(std::memory_order_relaxed); }
  std::int64_t collectives() const { return log_->count(); }
  void warn(std::string text) const { events_.send(WarningEvent{start_.rank, std::move(text)}); }
  void send(const RankEvent& event) const { events_.send(event); }

  void apply(const Variant& variant) override;
  void undo() override;
  std::optional<double> enter(Condition condition, int steps) override;
  void go() override {}
  std::optional<double> run(int steps) override;
  void leave() override;
  WindowProbe& probe() override { return *probe_; }
  double stop_s() override;

 private:
  void synchronize();  // returns when the device is idle
  void make_probe();
  void measure();
  StoppedBy rule();
  void put_batches_back();
  void report(StoppedBy reason);
  void set_position(SwitchPosition position);
  SwitchPosition position_of(const SwitchBackend& backend) const;
  WeightsAfter weights_after(Condition condition) const;
  std::vector<FixOffer> own_fixes() const;
  void probe_halves(const std::string& group);
  void set_halves(const std::string& group, bool halves);
  std::vector<Variant> choose_variants(const std::vector<Condition>& conditions);
  void delay();
  std::int64_t injected_delay_ns() const;
  void slow_down(SwitchBackend& backend) const;
  void check_injected_groups() const;
  void let_others_catch_up();

  ScriptHooks hooks_;
  Events events_;
  SharedState shared_;
  std::shared_ptr<CollectiveLog> log_;
  std::shared_ptr<SpanLog> spans_;
  Switches switches_;
  SwitchPosition position_ = SwitchPosition::pass;
  std::optional<ChangedGroup> changed_;  // by the variant that is applied
  std::optional<Fix> fix_;               // the same
  ScriptStart start_;
  std::map<std::string, std::int64_t> calls_before_;  // by group, up to the first step's end
  std::unique_ptr<GroupControl> control_;
  std::unique_ptr<RankProbe> probe_;
  std::atomic<std::int64_t> delay_ns_{0};
  std::unique_ptr<StepGate> gate_;
  std::thread thread_;
  std::atomic<bool> measuring_{false};
  std::atomic<bool> returned_{false};  // the ruler's thread
  std::atomic<bool> stop_script_{false};
  std::atomic<std::int64_t> waited_ns_{0};
  Condition condition_ = Condition::joined;
  bool takes_part_ = true;
  bool disturbed_ = false;  // `solo`, by groups that the script makes while it trains
  bool called_ = false;     // the others, from where they wait
  int runs_ = 0;            // since the condition was entered: the lead-in, then the window
  int owed_steps_ = 0;      // that the others made while this rank waited
};

}  // namespace stash
