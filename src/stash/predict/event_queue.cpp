#include "stash/predict/event_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "stash/core/error.h"

namespace stash {

// Below, `inline` lets the compiler do so in position-independent code, where it must otherwise expect other
// definitions: twice as fast.

void EventQueue::refuse(double time_s, double last_s) {
  throw Error(fmt::format("an event cannot be at {} s when the simulated clock is at {} s", time_s, last_s));
}

void EventQueue::add_chunk(Bucket& bucket) {
  if (free_chunk_ == kNone) {
    free_chunk_ = static_cast<std::uint32_t>(chunks_.size());
    chunks_.emplace_back();
  }
  const std::uint32_t added = free_chunk_;
  free_chunk_ = std::exchange(chunks_[added].next, kNone);
  if (bucket.head == kNone) {
    bucket.head = added;
  } else {
    chunks_[bucket.tail].next = added;
  }
  bucket.tail = added;
  bucket.till = 0;
}

inline EventQueue::Entry EventQueue::take_first(Bucket& bucket) {
  const Entry entry = chunks_[bucket.head].entries[bucket.from++];
  --bucket.count;
  if (bucket.from == kChunkEntries || bucket.count == 0) {
    const std::uint32_t used = bucket.head;
    bucket.head = chunks_[used].next;
    bucket.from = 0;
    chunks_[used].next = free_chunk_;
    free_chunk_ = used;
  }
  return entry;
}

inline EventQueue::Bucket EventQueue::take_bucket(int level, int digit) {
  std::uint32_t& digits = digits_used_[static_cast<std::size_t>(level)];
  digits &= ~(1u << digit);
  if (digits == 0) levels_used_ &= ~(1u << level);
  return std::exchange(buckets_[static_cast<std::size_t>(level * kDigits + digit)], Bucket{});
}

inline void EventQueue::move_to_next(Bucket& bucket, std::size_t count) {
  for (; count > 0; --count) insert_next(take_first(bucket));
}

inline std::uint64_t EventQueue::smallest_key(const Bucket& bucket) const {
  std::uint64_t smallest = ~std::uint64_t{0};
  std::uint32_t from = bucket.from;
  for (std::uint32_t at = bucket.head; at != kNone; at = chunks_[at].next, from = 0) {
    const std::uint32_t till = at == bucket.tail ? bucket.till : kChunkEntries;
    for (std::uint32_t i = from; i < till; ++i) smallest = std::min(smallest, chunks_[at].entries[i].key);
  }
  return smallest;
}

// Relative to a base among them, all fall to lower levels.
inline void EventQueue::deal_out(Bucket bucket) {
  base_ = smallest_key(bucket);
  while (bucket.count > 0) push_to_bucket(take_first(bucket));
}

// The lowest level in use holds the smallest keys, and of it the lowest digit. False: they were too many to be sorted.
inline bool EventQueue::refill_from(int level, int digit) {
  const int shift = level * kDigitBits;
  Bucket& bucket = buckets_[static_cast<std::size_t>(level * kDigits + digit)];
  if (bucket.count <= kRefillMost) {
    const std::uint64_t above = shift + kDigitBits < 64 ? base_ >> (shift + kDigitBits) : 0;
    limit_ = ((above << kDigitBits) + static_cast<std::uint64_t>(digit) + 1) << shift;
    Bucket taken = take_bucket(level, digit);
    move_to_next(taken, taken.count);
    return true;
  }
  if (level > 0) {
    deal_out(take_bucket(level, digit));
    return false;
  }
  // All at the same time, as those that may be pushed at it; they go behind.
  limit_ = chunks_[bucket.head].entries[bucket.from].key;
  move_to_next(bucket, kRefillMost);
  return true;
}

// So few that sorting them is cheaper than dealing them out.
void EventQueue::refill_from_all() {
  while (levels_used_ != 0) {
    const int level = std::countr_zero(levels_used_);
    Bucket taken = take_bucket(level, std::countr_zero(digits_used_[static_cast<std::size_t>(level)]));
    move_to_next(taken, taken.count);
  }
  limit_ = ~std::uint64_t{0};
}

void EventQueue::refill() {
  if (size_ <= kRefillMost) return refill_from_all();
  for (bool done = false; !done;) {
    const int level = std::countr_zero(levels_used_);
    done = refill_from(level, std::countr_zero(digits_used_[static_cast<std::size_t>(level)]));
  }
}

// The later half goes to buckets, earlier pushes first; equal times go or stay together, so that they keep their order.
void EventQueue::spread_next() {
  const auto from = [this](std::uint64_t key) {  // how many are not before it
    std::size_t count = 0;
    while (count < next_size_ && next_[count].key >= key) ++count;
    return count;
  };
  std::size_t moved = from(next_[kNextMost / 2].key);
  if (moved == next_size_) {
    const std::size_t later = from(next_.back().key + 1);
    if (later > 0) moved = later;
  }
  limit_ = next_[moved - 1].key;
  for (std::size_t i = moved; i-- > 0;) push_to_bucket(next_[i]);
  std::copy(next_.begin() + static_cast<std::ptrdiff_t>(moved), next_.end(), next_.begin());
  next_size_ -= moved;
}

}  // namespace stash
