#include "stash/measure/built_in_job.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/attribute/attribute.h"
#include "stash/catalog/layer_time.h"
#include "stash/catalog/loader.h"
#include "stash/core/clock.h"
#include "stash/launch/fix_variants.h"
#include "stash/measure/copy_sweep.h"
#include "stash/measure/engine/builtin_workload.h"
#include "stash/measure/engine/layer_timer.h"
#include "stash/measure/engine/torch_network.h"
#include "stash/measure/events.h"
#include "stash/measure/link_sweep.h"
#include "stash/measure/pooled_training.h"
#include "stash/measure/ruler_events.h"
#include "stash/measure/switch/install_switch.h"
#include "stash/models/job_graph.h"
#include "stash/ruler/rounds.h"

namespace stash {
namespace {

// A glance at the links, for a profile: a second or two.
constexpr std::int64_t kProfileLinkBytes = 4 << 20;
constexpr double kProfileCall_s = 0.2;

class BuiltInJob {
 public:
  BuiltInJob(const RankSetup& setup, const Events& events)
      : setup_(setup),
        team_(setup.team),
        shared_(setup.shared),
        events_(events),
        job_(setup.order.job),
        rank_(setup.group->getRank()),
        speaks_(setup.speaks()),
        ruler_events_(events, setup.group->getRank(), setup.speaks()),
        state_(setup.state()),
        control_(control_of(setup)),
        graph_(graph_of(job_)),
        device_(job_, setup.local_rank()),
        log_(std::make_shared<CollectiveLog>()),
        spans_(std::make_shared<SpanLog>()),
        conditions_(present_conditions(job_, setup.team.nodes())) {}

  void profile() {
    use_precise_sleep();
    if (speaks_) introduce();
    prepare();
    say("warming up");
    first_steps();
    measure_layers();
    measure_links({.most_bytes = kProfileLinkBytes, .step_factor = 16, .call_s = kProfileCall_s, .repeats = 3});
    ruler_->pilot(conditions_, choose_fixes());
    report(run_rounds(*ruler_, ruler_parts(), [&] { return shared_.stop_requested(); }));
  }

  // The same on all ranks, since the job is.
  std::vector<Variant> choose_fixes() {
    if (!setup_.order.tries) return {};
    std::int64_t gradient_bytes = 0;
    for (const Bucket& bucket : trainer_->buckets()) gradient_bytes += bucket.bytes;
    FixVariants chosen = choose_fix_variants(offered_fixes(job_, gradient_bytes), conditions_);
    if (speaks_) events_.send(TriedEvent{chosen.tried});
    return std::move(chosen.variants);
  }

  void train() {
    use_precise_sleep();
    if (speaks_) introduce();
    prepare();
    first_steps();
    say("training");
    train_on({.job = job_,
              .samples = setup_.order.samples,
              .control = control_,
              .workload = *workload_,
              .batches = *batches_,
              .pipeline = *pipeline_,
              .member = member_.get(),
              .stop = [&] { return shared_.stop_requested(); },
              .tell =
                  [&](const TrainedSoFar& trained) {
                    if (speaks_) events_.send(TrainedEvent{trained});
                  }});
    report(StoppedBy::time);
  }

 private:
  void say(std::string_view phase) {
    if (speaks_) events_.send(PhaseEvent{std::string(phase)});
  }

  void introduce() {
    events_.send(setup_.machine);
    if (team_.nodes() > 1) events_.send(PlacesEvent{team_.places()});
  }

  void prepare() {
    say(fmt::format("building {}", graph_.name));
    make_network();
    backend_ = install_switch(setup_.group, device_.torch_device(), log_);
    backend_->set_state(state_);
    if (setup_.node) backend_->set_node(setup_.node->getBackend(device_.torch_device().type()), team_.ranks_here());
    backend_->set_stream(device_.emulated());
    backend_->set_spans(spans_);
    if (job_.inject.link_bytes_per_s) backend_->set_link(*job_.inject.link_bytes_per_s, device_.emulated());
    member_ = join_pool(setup_, job_.workers);
    if (member_) most_workers_ = member_->most_workers();
    if (setup_.order.tries) most_workers_ = most_workers_tried(job_);
    make_pipeline();
    batches_ = std::make_unique<BatchSource>(graph_, job_, device_, pipeline_.get(), *spans_);
    if (pipeline_) pipeline_->pause();
    const auto delay = job_.inject.rank_delay_s.find(rank_);
    trainer_ = std::make_unique<Trainer>(*network_, device_, setup_.group, job_.bucket_bytes,
                                         delay == job_.inject.rank_delay_s.end() ? 0 : delay->second, state_, *spans_);
    workload_ = std::make_unique<BuiltinWorkload>(job_, *trainer_, device_, *backend_, *batches_, pipeline_.get(),
                                                  *spans_, team_.first_on_node(), team_.nodes() > 1);
    ruler_ = std::make_unique<Ruler>(ruler_parts());
  }

  RulerParts ruler_parts() {
    return {.job = job_, .workload = *workload_, .control = control_, .report = ruler_events_};
  }

  void make_network() {
    if (device_.emulated() == nullptr) {
      auto network = std::make_unique<TorchNetwork>(graph_, job_, device_);
      torch_network_ = network.get();
      network_ = std::move(network);
      return;
    }
    const Gpu& gpu = find_gpu(job_.device.gpu());
    layers_ = layer_times(graph_, job_.batch, parse_dtype(job_.dtype), gpu);
    network_ = make_emulated_network(graph_, layers_, optimizer_time_s(graph_, gpu), *device_.emulated());
  }

  void make_pipeline() {
    const bool wanted = std::any_of(conditions_.begin(), conditions_.end(), uses_input);
    if (!wanted) return;
    PipelineOptions options{.batch = job_.batch,
                            .workers = job_.workers,
                            .most_workers = most_workers_,
                            .prefetch = job_.prefetch,
                            .most_prefetch = setup_.order.tries ? most_prefetch_tried(job_) : 0,
                            .image_size = graph_.image_size,
                            .seq_len = graph_.seq_len,
                            .classes = graph_.classes,
                            .seed = job_.seed,
                            .rank = rank_,
                            .ranks = setup_.group->getSize(),
                            .cpu_ratio = find_loader(job_.loader).cpu_ratio,
                            .inject = job_.inject,
                            .allocate = [this](std::size_t bytes) { return device_.allocate_host(bytes); }};
    pipeline_ = std::make_unique<Pipeline>(open_dataset(job_.data, graph_.input, graph_.seq_len), options);
    pipeline_->resume();
  }

  // Rank 0's weights to all, and two steps as the job issues them: after the first the reducer orders its buckets.
  void first_steps() {
    trainer_->broadcast_weights();
    for (int i = 0; i < 2; ++i) trainer_->step(batches_->resident());
    device_.synchronize();
  }

  void measure_layers() {
    if (rank_ == 0 && torch_network_ != nullptr) {
      events_.send(PhaseEvent{"timing layers"});
      layers_ = time_layers(graph_, job_, device_, *torch_network_, batches_->resident(), state_);
    }
    control_.barrier();
    if (rank_ != 0) return;
    events_.send(LayersEvent{layers_});
    events_.send(BucketsEvent{trainer_->buckets()});
  }

  void measure_links(const SweepLimits& limits) {
    std::vector<LinkTime> rows;
    if (control_.size() > 1) {
      rows = sweep_links(*backend_, control_, team_, device_.torch_device(), limits,
                         [&](std::string_view phase) { say(phase); });
    }
    if (rank_ == 0) std::ranges::move(time_copies(device_), std::back_inserter(rows));
    control_.barrier();
    if (speaks_) events_.send(LinksEvent{rows});
  }

  // What only this rank knows, as lines for the one that keeps the profile.
  std::string own_lines() {
    std::string lines = to_line(CollectivesEvent{log_->summary(rank_, collective_name)});
    if (pipeline_) {
      InputCounters counters = pipeline_->counters();
      counters.rank = rank_;
      lines += to_line(InputEvent{counters});
    }
    for (const std::string& warning : device_.warnings()) lines += to_line(WarningEvent{rank_, warning});
    return lines;
  }

  void report(StoppedBy reason) {
    for (const std::string& lines : control_.gather_text(own_lines())) events_.send_lines(lines);
    const double own = trainer_->loss().value_or(0);
    double sum = 0;
    for (const auto& loss : control_.gather({&own, 1})) sum += loss[0];
    if (rank_ == 0) {
      if (trainer_->loss()) events_.send(LossEvent{sum / control_.size()});
    }
    if (speaks_ && control_.size() > 1) events_.send(ClocksEvent{ruler_->clocks_s()});
    if (speaks_) events_.send(StoppedEvent{reason});
    state_.beat(Phase::done);
    control_.barrier();
  }

  const RankSetup& setup_;
  const Team& team_;
  SharedState& shared_;
  const Events& events_;
  Job job_;
  int rank_;
  bool speaks_;  // for the ranks that its supervisor started
  RulerEvents ruler_events_;
  RankState& state_;
  GroupControl control_;
  Graph graph_;
  Device device_;
  std::shared_ptr<CollectiveLog> log_;
  std::shared_ptr<SpanLog> spans_;
  std::vector<Condition> conditions_;
  std::unique_ptr<PoolMember> member_;  // where the order names a pool
  int most_workers_ = 0;                // to start; 0: as many as the job has
  std::unique_ptr<Network> network_;
  const TorchNetwork* torch_network_ = nullptr;  // where the network is a real one
  c10::intrusive_ptr<SwitchBackend> backend_;
  std::unique_ptr<Pipeline> pipeline_;
  std::unique_ptr<BatchSource> batches_;
  std::unique_ptr<Trainer> trainer_;
  std::unique_ptr<BuiltinWorkload> workload_;
  std::unique_ptr<Ruler> ruler_;
  std::vector<LayerTime> layers_;
};

}  // namespace

void profile_built_in_job(const RankSetup& setup, const Events& events) { BuiltInJob(setup, events).profile(); }

void train_built_in_job(const RankSetup& setup, const Events& events) { BuiltInJob(setup, events).train(); }

}  // namespace stash
