#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stash/serve/batching/arrival_rate.h"
#include "stash/serve/batching/batch_rule.h"
#include "stash/serve/batching/request_times.h"
#include "stash/serve/batching/serve_settings.h"
#include "stash/serve/model/served_model.h"

namespace stash {

class ModelQueue;

// A request that waits for a model or is in a batch. It stays with whoever made it, until that is told of its end.
struct PendingRequest {
  void* owner = nullptr;  // who made it
  ModelQueue* queue = nullptr;
  std::string_view tensor;  // `times.rows` rows
  std::string_view output;  // at its end; until the one who is told returns
  RequestTimes times;
  std::int64_t deadline_ns = 0;
  bool is_in_batch = false;
  int first_row = 0;  // of its batch; kept by the device
};

// What became of a model that a loader loads.
struct LoadNews {
  enum class What {
    loaded,   // `model` is what is served from now on
    failed,   // a load: `why`; what served before still does, if anything
    lost,     // what served is gone: `why`; it is being loaded again
    given_up  // and will not be soon: `why`
  };
  What what = What::loaded;
  std::optional<ServedModel> model{};
  std::string why{};
};

// Brings a model to its device, where that is more than a matter of time.
class ModelLoader {
 public:
  virtual ~ModelLoader() = default;
  virtual void load(bool stops_first) = 0;  // with `stops_first` nothing serves meanwhile
  virtual void unload() = 0;
  virtual std::optional<LoadNews> take_news() = 0;  // between batches
};

// What a server counts of a model.
struct ModelCounts {
  std::uint64_t answered = 0;
  std::uint64_t refused = 0;  // because it would have been late, or there was no room
  std::uint64_t failed = 0;   // because of the model: an error, a NaN, a process that ended
  std::uint64_t restarts = 0;
  std::uint64_t batches = 0;
  std::uint64_t rows = 0;
  std::uint64_t loads = 0;
  // Of the last time that a model took another's place: nobody could serve for so long.
  std::optional<double> reload_gap_s{};
  std::optional<double> share_ratio{};  // of the device
  // Of answered requests: seconds by part, and how many took up to kLatencyBounds_s.
  std::array<double, kRequestParts> parts_s{};
  std::array<std::uint64_t, 16> within{};
  double latency_s = 0;
};
inline constexpr std::array<double, 16> kLatencyBounds_s{0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015,
                                                         0.02,   0.03,  0.05,  0.1,   0.2,   0.5,    1,    5};
void count_answer(ModelCounts& counts, const RequestTimes& times);

// A model with the requests that wait for it.
class ModelQueue {
 public:
  // UsageError where the objective cannot be met.
  ModelQueue(ServedModel model, const ServeSettings& settings, std::size_t lane = 0, ModelLoader* loader = nullptr)
      : model_(std::move(model)), settings_(settings), lane_(lane), loader_(loader) {
    set(settings);
  }

  enum class State { unloaded, loading, ready };

  const ServedModel& model() const { return model_; }
  std::size_t lane() const { return lane_; }  // where its batches are worked on
  const BatchRule& rule() const { return rule_; }
  // Of the model, which changes when another is loaded in its place.
  std::uint64_t version() const { return version_; }
  const ServeSettings& settings() const { return settings_; }
  void set(const ServeSettings& settings);
  void change_times(BatchTimes times);  // its share of the device is another

  // Loading takes model().load_s, or a loader's time. A ready model stays ready meanwhile, or with ReloadWay::stop
  // rests.
  State state() const { return state_; }
  bool is_loading() const { return is_loading_; }
  std::int64_t loaded_ns() const { return loaded_ns_; }  // when it is expected to be
  void load(std::int64_t now_ns, ReloadWay way);
  void unload();                                              // what waits is served
  bool advance_loading(std::int64_t now_ns);                  // true: a load has ended
  bool may_be_changed() const { return loader_ != nullptr; }  // by advance_loading, so not within a batch
  bool rests() const { return rests_; }
  std::int64_t rested_ns(std::int64_t now_ns) const;  // ever
  // Nobody serves it, and nobody will soon.
  bool is_lost() const { return loader_ != nullptr && state_ == State::unloaded && is_gone_; }
  const std::string& why_unavailable() const { return why_; }  // of the last load; empty: it went well

  void note_arrival(std::int64_t now_ns, int rows) { rate_.add(now_ns, rows); }
  double rate_per_s(std::int64_t now_ns) const { return rate_.per_s(now_ns); }
  void push(PendingRequest& request);
  void remove(const PendingRequest& request);
  bool empty() const { return waiting_.empty(); }
  int waiting_rows() const { return rows_; }
  std::size_t waiting_requests() const { return waiting_.size(); }
  const PendingRequest& oldest() const { return *waiting_.front(); }
  // When its next batch is due, on a device that is free since `free_ns`. Something waits.
  std::int64_t due_ns(std::int64_t now_ns, std::int64_t free_ns, double overhead_s) const;
  // The oldest requests that fit into a batch. Those that would be late are moved to `late` instead.
  std::vector<PendingRequest*> take_batch(std::int64_t now_ns, double overhead_s, std::vector<PendingRequest*>& late);

  ModelCounts counts;

  PendingRequest* take_first() { return pop(); }

 private:
  PendingRequest* pop();
  void take(LoadNews& news, std::int64_t now_ns);
  void end_loading(std::int64_t now_ns);
  void begin_resting(std::int64_t now_ns);
  void set_as_well_as_it_can();

  ServedModel model_;
  ServeSettings settings_;
  std::size_t lane_;
  ModelLoader* loader_;
  BatchRule rule_;
  State state_ = State::unloaded;
  bool is_loading_ = false;
  bool is_gone_ = false;        // its loader holds nothing
  bool is_to_be_gone_ = false;  // when what waits is served
  std::string why_;
  std::uint64_t version_ = 0;
  std::int64_t rest_begun_ns_ = 0;
  std::int64_t loaded_ns_ = 0;
  bool rests_ = false;
  std::int64_t rested_ns_ = 0;
  std::deque<PendingRequest*> waiting_;
  int rows_ = 0;
  ArrivalRate rate_;
};

}  // namespace stash
