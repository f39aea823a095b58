#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace stash {

struct Event {
  double time_s = 0;
  std::uint64_t id = 0;  // the owner's
};

// Pending events, the earliest first; of events at the same time the one that was pushed first. Times are not negative
// and never before the last event popped: a simulation's clock does not go back (Error).
//
// A radix heap. The bits of a time that is not negative order like the time; an event waits in the bucket of the
// highest digit in which its time differs from the base, and moves down only when everything before it is gone. So
// events travel through memory as a few sequential streams, where a heap jumps over all of it. The few next ones are
// kept sorted. Memory grows with the largest number of pending events; nothing is allocated for a single one.
class EventQueue {
 public:
  void push(double time_s, std::uint64_t id);
  Event pop();  // not empty
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

 private:
  struct Entry {
    std::uint64_t key;  // the time's bits
    std::uint64_t id;
  };
  static constexpr int kDigitBits = 4;
  static constexpr int kDigits = 1 << kDigitBits;
  static constexpr int kLevels = 64 / kDigitBits;
  static constexpr std::size_t kNextMost = 48;    // sorted ones
  static constexpr std::size_t kRefillMost = 24;  // of them when they come from a bucket, which leaves room for pushes
  static constexpr std::uint32_t kChunkEntries = 32;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // A bucket is a list of chunks, filled at its tail and read from its head, so that equal times keep their order.
  struct Chunk {
    std::array<Entry, kChunkEntries> entries;
    std::uint32_t next = kNone;
  };
  struct Bucket {
    std::uint32_t head = kNone;
    std::uint32_t tail = kNone;
    std::uint32_t from = 0;              // first entry of the head
    std::uint32_t till = kChunkEntries;  // end of the tail's entries
    std::size_t count = 0;
  };

  void push_to_bucket(Entry entry);
  void push_to_next(Entry entry);
  void insert_next(Entry entry);
  void add_chunk(Bucket& bucket);
  void refill();
  bool refill_from(int level, int digit);
  void refill_from_all();
  void spread_next();
  Bucket take_bucket(int level, int digit);
  void move_to_next(Bucket& bucket, std::size_t count);
  void deal_out(Bucket bucket);
  std::uint64_t smallest_key(const Bucket& bucket) const;
  Entry take_first(Bucket& bucket);
  [[noreturn]] static void refuse(double time_s, double last_s);

  std::size_t size_ = 0;
  std::uint64_t last_ = 0;                   // key of the last event popped
  std::uint64_t base_ = 0;                   // buckets are relative to it; none of their keys is smaller
  std::uint64_t limit_ = ~std::uint64_t{0};  // smaller keys belong to the next ones
  std::size_t next_size_ = 0;
  std::array<Entry, kNextMost> next_;  // the earliest at the end
  std::uint32_t levels_used_ = 0;      // a bit for each level, and for each digit of a level
  std::array<std::uint32_t, kLevels> digits_used_{};
  std::array<Bucket, kLevels * kDigits> buckets_{};
  std::vector<Chunk> chunks_;
  std::uint32_t free_chunk_ = kNone;
};

inline void EventQueue::push(double time_s, std::uint64_t id) {
  const auto key = std::bit_cast<std::uint64_t>(time_s + 0.0);  // -0 becomes 0
  constexpr auto kInfinity = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());
  // The bits of a negative time and of what is no number are larger than those of infinity.
  if (key < last_ || key >= kInfinity) refuse(time_s, std::bit_cast<double>(last_));
  ++size_;
  if (key >= limit_) {
    push_to_bucket({key, id});
  } else {
    push_to_next({key, id});
  }
}

inline Event EventQueue::pop() {
  if (next_size_ == 0) refill();
  const Entry entry = next_[--next_size_];
  --size_;
  last_ = entry.key;
  return {std::bit_cast<double>(entry.key), entry.id};
}

inline void EventQueue::push_to_bucket(Entry entry) {
  const int level = (63 - std::countl_zero((entry.key ^ base_) | 1)) / kDigitBits;
  const int digit = static_cast<int>(entry.key >> (level * kDigitBits)) & (kDigits - 1);
  Bucket& bucket = buckets_[static_cast<std::size_t>(level * kDigits + digit)];
  if (bucket.till == kChunkEntries) {
    add_chunk(bucket);
    levels_used_ |= 1u << level;
    digits_used_[static_cast<std::size_t>(level)] |= 1u << digit;
  }
  chunks_[bucket.tail].entries[bucket.till++] = entry;
  ++bucket.count;
}

inline void EventQueue::push_to_next(Entry entry) {
  if (next_size_ == kNextMost) {
    spread_next();
    if (entry.key >= limit_) return push_to_bucket(entry);
  }
  insert_next(entry);
}

// Before those of the same time, which leave first.
inline void EventQueue::insert_next(Entry entry) {
  std::size_t place = next_size_++;
  for (; place > 0 && next_[place - 1].key <= entry.key; --place) next_[place] = next_[place - 1];
  next_[place] = entry;
}

}  // namespace stash
