#pragma once

#include <array>
#include <cstdint>
#include <deque>
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
};

// What a server counts of a model.
struct ModelCounts {
  std::uint64_t answered = 0;
  std::uint64_t refused = 0;  // because it would have been late, or there was no room
  std::uint64_t batches = 0;
  std::uint64_t rows = 0;
  std::uint64_t loads = 0;
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
  ModelQueue(ServedModel model, const ServeSettings& settings) : model_(std::move(model)) { set(settings); }

  enum class State { unloaded, loading, ready };

  const ServedModel& model() const { return model_; }
  const BatchRule& rule() const { return rule_; }
  void set(const ServeSettings& settings);

  // Loading takes model().load_s. A ready model stays ready meanwhile, or with ReloadWay::stop rests.
  State state() const { return state_; }
  bool is_loading() const { return loaded_ns_ > 0; }
  std::int64_t loaded_ns() const { return loaded_ns_; }
  void load(std::int64_t now_ns, ReloadWay way);
  void unload();                              // what waits is served
  bool advance_loading(std::int64_t now_ns);  // true: a load has ended
  bool rests() const { return rests_; }
  std::int64_t rested_ns(std::int64_t now_ns) const;  // ever

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

 private:
  PendingRequest* pop();

  ServedModel model_;
  BatchRule rule_;
  State state_ = State::unloaded;
  std::int64_t load_begun_ns_ = 0;
  std::int64_t loaded_ns_ = 0;  // 0: nothing is being loaded
  bool rests_ = false;
  std::int64_t rested_ns_ = 0;
  std::deque<PendingRequest*> waiting_;
  int rows_ = 0;
  ArrivalRate rate_;
};

}  // namespace stash
