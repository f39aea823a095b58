#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stash/serve/batching/batch_device.h"
#include "stash/serve/load/client_socket.h"
#include "stash/serve/worker/batch_order.h"
#include "stash/serve/worker/request_arena.h"
#include "stash/serve/worker/worker_seat.h"

namespace stash {

// How models are loaded.
struct WorkerSettings {
  WorkerInterpreter interpreter;
  std::string device = "cpu";
  std::string dtype = "fp32";
  std::int64_t seed = 1;
  int most_batch = 32;
  int threads = 1;
  bool uses_graphs = true;
  bool works_at_once = false;   // with other models on a GPU, instead of in turns
  bool divides_device = false;  // each model has parts of the GPU
  double batch_limit_s = 30;    // then a worker hangs
  double load_limit_s = 600;
};

// A model in a process of its own: one that serves, and one that comes when the model is loaded again. A process that
// dies or hangs is started again, after a while if it happened before. Used by the thread of the server.
class ModelWorker : public BatchDevice, public ModelLoader {
 public:
  // Begins to load it.
  ModelWorker(ModelSource source, const WorkerSettings& settings, RequestArena& arena);

  const ModelSource& source() const { return source_; }
  // T(b) by parts of the device, of what serves; empty: it is not divided.
  std::vector<BatchTimes> part_times() const;
  // On which parts of the device it works, as soon as it can; none: on all of it.
  void set_device_parts(DeviceRange parts) { parts_ = parts; }
  // What a model is that is not there yet.
  ServedModel unknown_model() const;
  // Of the first load: it has ended, well or with a fault.
  bool has_loaded() const { return first_fault_.has_value() || (coming_ && coming_->ready()) || serving_; }
  const std::optional<WorkerFailed>& first_fault() const { return first_fault_; }
  // What it is, once that is known.
  std::optional<ServedModel> loaded_model() const;

  int fd() const { return epoll_.fd(); }  // can be read: take_events()
  void take_events();
  std::int64_t next_ns() const;  // when to call take_events() without an event

  void load(bool stops_first) override;
  void unload() override;
  std::optional<LoadNews> take_news() override;

  void gather(const BatchJob& job) override;
  void start(const BatchJob& job) override;
  bool is_noticed(std::int64_t now_ns) override;
  std::int64_t look_ns() const override { return limit_ns_; }
  BatchEnd end() override;
  std::string_view output_of(const PendingRequest& request, Refusal& refusal) override;

 private:
  std::unique_ptr<WorkerSeat> new_seat();
  void watch(WorkerSeat& seat);
  void settle();
  void settle_coming();
  void settle_serving();
  void begin_again(const std::string& why);
  ServedModel model_of(const WorkerReady& ready, double load_s) const;
  void dismiss(std::unique_ptr<WorkerSeat> seat);

  ModelSource source_;
  WorkerSettings settings_;
  RequestArena& arena_;
  ClientSocket epoll_;
  std::unique_ptr<WorkerSeat> serving_, coming_;
  std::deque<std::unique_ptr<WorkerSeat>> leaving_;
  std::deque<LoadNews> news_;
  bool stops_first_ = false;  // what serves ends before the next is loaded, when its batch has ended
  bool has_served_ = false;
  std::optional<WorkerFailed> first_fault_;

  DeviceRange parts_;
  bool is_busy_ = false;  // from start() to end()
  std::uint64_t batch_ = 0;
  std::int64_t start_ns_ = 0;
  std::int64_t limit_ns_ = 0;
  std::string lost_batch_;  // why the batch has no end
  std::string output_;

  int deaths_ = 0;  // one soon after the other
  std::int64_t died_ns_ = 0;
  std::int64_t begin_again_ns_ = 0;  // 0: not to be
};

}  // namespace stash
