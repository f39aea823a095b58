#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stash/import/byte_source.h"
#include "stash/import/event_parser.h"
#include "stash/import/skip_nested.h"
#include "stash/import/trace_event.h"

namespace stash {

// How far a trace could be read.
struct TraceRead {
  std::uint64_t bytes = 0;                       // uncompressed
  std::uint64_t events = 0;                      // of every kind
  std::uint64_t damaged = 0;                     // places that are not JSON; reading went on at the next event
  std::uint64_t too_large = 0;                   // values above kLargestEvent_bytes, left out
  bool found_events = false;                     // there was an array of events
  bool truncated = false;                        // the file ends too early
  std::optional<std::int64_t> rank, world_size;  // distributedInfo
};

// Events of a Chrome trace one by one, in the file's order, in memory that does not grow with the file. Takes an object
// with traceEvents or the bare array. Never throws for what the file holds: TraceRead says what was wrong.
class EventReader {
 public:
  static constexpr std::size_t kLargestEvent_bytes = 512 * 1024;

  explicit EventReader(ByteSource& source, SkipNested skip_nested = best_skip_nested());

  // The next event, or false at the end. Views in `event` hold until the next call.
  bool next(TraceEvent& event);
  const TraceRead& read() const { return read_; }

 private:
  enum class State { start, members, events, end };

  Parsed step(TraceEvent& event, bool& found);
  Parsed parse_start();
  Parsed parse_members();
  Parsed parse_member_value(std::string_view key, const char* at);
  Parsed parse_elements(TraceEvent& event, bool& found);

  void read_more();
  bool refill();
  void skip_large();
  void skip_damaged_block();
  void resume();
  void skip_separators();

  ByteSource& source_;
  SkipNested skip_nested_;
  std::vector<char> buffer_;
  const char* at_;   // the first byte that is not used up
  const char* end_;  // behind the last byte that was read
  State state_ = State::start;
  bool bare_array_ = false;
  TraceRead read_;
};

}  // namespace stash
