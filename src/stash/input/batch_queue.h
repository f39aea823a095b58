#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "stash/input/event_count.h"

namespace stash {

// A sample to be made: where it goes, and its position in the rank's sequence of samples.
struct Ticket {
  int slot = 0;
  int place = 0;  // in the batch
  std::int64_t position = 0;
};

// Hands out the samples of batches to workers and finished batches, in order, to one consumer. Knows nothing
// of their content. At most `prefetch` batches are ahead of the consumer, so there are prefetch + 1 slots, or more
// where `most_prefetch` is larger: set_prefetch() may ask for it.
class BatchQueue {
 public:
  BatchQueue(int batch, int prefetch, int most_prefetch = 0);

  // Workers, numbered from 0. begin_sample waits while there is nothing to do or the worker is parked; nullopt: the
  // queue was stopped.
  std::optional<Ticket> begin_sample(int worker = 0);
  void end_sample(const Ticket& ticket, std::int64_t made_ns);
  bool work_is_there() const { return next_ticket_.load() < ticket_limit_.load(); }
  void abandon_sample();  // it will never be ready: an error is on its way to the consumer

  // Consumer. take waits for the next batch; nullopt at the deadline or when stopped. It stays until release.
  std::optional<int> take(std::int64_t deadline_ns);
  std::int64_t made_ns(int slot) const { return slots_[static_cast<std::size_t>(slot)].made_ns.load(); }
  void release(int slot);
  bool next_is_ready() const;
  bool next_is_held() const;  // every slot is held by the consumer

  // Any thread: the first `workers` work, at least one; the others finish the sample that they are in and wait without
  // using the CPU. The samples and their order do not depend on it.
  void set_active_workers(int workers);
  int active_workers() const { return active_workers_.load(); }

  // False when workers are still inside a sample at the deadline.
  bool pause(std::int64_t deadline_ns);
  void resume();
  void set_prefetch(int prefetch);  // paused only: at least 1 and at most what there are slots for
  void drain();  // paused only: the samples handed out so far are lost, the next batch starts with later ones
  void stop();
  bool paused() const { return paused_.load(); }
  const std::atomic<bool>& stopped() const { return stopped_; }

  int slots() const { return static_cast<int>(slots_.size()); }
  std::int64_t prepared_samples() const { return prepared_.load(); }
  // Paused only: the positions that are still to be made for the next `batches` batches.
  struct Positions {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  Positions upcoming(int batches) const;

 private:
  struct Slot {
    std::atomic<int> missing{0};           // samples
    std::atomic<std::int64_t> made_ns{0};  // the latest of its samples
    bool held = false;                     // consumer only
  };

  int slot_of(std::int64_t batch) const { return static_cast<int>(batch % slots()); }
  bool is_parked(int worker) const { return worker >= active_workers_.load(); }
  std::optional<Ticket> try_begin(int worker);
  void leave();
  void update_limit();

  const std::int64_t batch_;
  std::int64_t prefetch_;  // changes only while paused; consumer only
  std::vector<Slot> slots_;
  std::atomic<std::int64_t> next_ticket_{0};  // batch * batch_ + place
  std::atomic<std::int64_t> ticket_limit_{0};
  std::atomic<std::int64_t> position_offset_{0};  // position of ticket 0; changes only while paused
  std::atomic<std::int64_t> prepared_{0};
  std::atomic<int> active_{0};  // workers inside a sample, or about to look for one
  std::atomic<int> active_workers_{std::numeric_limits<int>::max()};
  std::atomic<bool> paused_{false};
  std::atomic<bool> stopped_{false};
  std::int64_t taken_ = 0;  // batches; consumer only
  std::int64_t released_ = 0;
  EventCount work_;
  EventCount unparked_;  // apart from `work_`, which is told of every batch
  EventCount ready_;
  EventCount idle_;
};

}  // namespace stash
