#pragma once

#include <array>

#include "stash/input/pipeline.h"
#include "stash/measure/engine/batch_source.h"
#include "stash/measure/engine/trainer.h"
#include "stash/measure/rank_probe.h"
#include "stash/measure/switch/switch_backend.h"
#include "stash/ruler/workload.h"

namespace stash {

// A built-in job: the library's own trainer and input pipeline.
class BuiltinWorkload final : public Workload {
 public:
  // `first_on_node`: the rank that computes in `solo`. `pipeline` may be null when no condition uses input.
  BuiltinWorkload(const Job& job, Trainer& trainer, Device& device, SwitchBackend& backend, BatchSource& batches,
                  Pipeline* pipeline, SpanLog& spans, bool first_on_node, bool several_nodes);

  void apply(const Variant& variant) override;
  void undo() override;
  std::optional<double> enter(Condition condition, int steps) override;
  void go() override;
  std::optional<double> run(int steps) override;
  void leave() override;
  WindowProbe& probe() override { return probe_; }
  double stop_s() override { return device_.stop_s(); }
  std::optional<double> loss() const override { return trainer_.loss(); }
  std::optional<double> weight_sum() const override;

 private:
  SwitchPosition position() const;
  void match_weights();
  void warm_up();
  void step();

  const Job& job_;
  Trainer& trainer_;
  Device& device_;
  SwitchBackend& backend_;
  BatchSource& batches_;
  Pipeline* pipeline_;
  SpanLog& spans_;
  bool first_on_node_;
  bool several_nodes_;
  bool weights_differ_ = false;
  bool takes_part_ = true;
  std::array<bool, kConditions.size()> warm_{};
  Condition condition_ = Condition::joined;
  RankProbe probe_;
};

}  // namespace stash
