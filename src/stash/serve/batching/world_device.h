#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "stash/serve/batching/batch_device.h"

namespace stash {

// What a scheduler needs of the world, so that it runs in real time and in simulated time.
struct SchedulerWorld {
  std::function<std::int64_t()> now_ns;
  std::function<void(std::int64_t start_ns, std::int64_t work_ns, CompletionWay way)> start;  // the device
  std::function<bool(std::int64_t now_ns)> is_noticed;                                        // that it is done
  std::function<std::int64_t()> finish_ns;
  std::function<std::int64_t()> look_ns;  // when is_noticed may have changed
  // The end of a request: answered, or refused after all. Its times are set up to noticed_ns.
  std::function<void(PendingRequest&, const Refusal&)> done;
};

// The device of a world, which only takes time: every output row is the beginning of its input row, with zeros behind
// it where that is shorter.
class WorldDevice : public BatchDevice {
 public:
  explicit WorldDevice(const SchedulerWorld& world) : world_(world) {}

  void gather(const BatchJob& job) override;
  void start(const BatchJob& job) override { world_.start(job.start_ns, job.work_ns, job.completion); }
  bool is_noticed(std::int64_t now_ns) override { return world_.is_noticed(now_ns); }
  std::int64_t look_ns() const override { return world_.look_ns(); }
  BatchEnd end() override { return {.finish_ns = world_.finish_ns()}; }
  std::string_view output_of(const PendingRequest& request, Refusal& refusal) override;

 private:
  const SchedulerWorld& world_;
  std::vector<char> batch_bytes_;
  std::string output_;
};

}  // namespace stash
