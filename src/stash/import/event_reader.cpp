#include "stash/import/event_reader.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "stash/import/large_value.h"
#include "stash/import/scan.h"

namespace stash {
namespace {

constexpr std::size_t kBlock_bytes = 128 * 1024;  // what is read at once stays in a core's own cache

// A member of an object's text that is a whole number. Good enough for distributedInfo, whose other values are names
// of groups and backends.
std::optional<std::int64_t> integer_member(std::string_view object, std::string_view quoted_key) {
  const std::size_t found = object.find(quoted_key);
  if (found == std::string_view::npos) return std::nullopt;
  const char* at = scan::skip_space(object.data() + found + quoted_key.size());
  if (*at != ':') return std::nullopt;
  at = scan::skip_space(at + 1);
  return scan::read_integer(at);
}

}  // namespace

EventReader::EventReader(ByteSource& source, SkipNested skip_nested)
    : source_(source),
      skip_nested_(skip_nested),
      buffer_(kLargestEvent_bytes + kScanPadding),
      at_(buffer_.data()),
      end_(buffer_.data()) {}

bool EventReader::next(TraceEvent& event) {
  bool found = false;
  while (!found && state_ != State::end) {
    const Parsed parsed = step(event, found);
    if (parsed == Parsed::needs_more) read_more();
    if (parsed == Parsed::damaged) resume();
  }
  if (found) ++read_.events;
  return found;
}

Parsed EventReader::step(TraceEvent& event, bool& found) {
  if (state_ == State::events) return parse_elements(event, found);
  return state_ == State::start ? parse_start() : parse_members();
}

Parsed EventReader::parse_start() {
  at_ = scan::skip_space(at_);
  if (at_ >= end_) return Parsed::needs_more;
  if (*at_ != '{' && *at_ != '[') return Parsed::damaged;
  bare_array_ = *at_ == '[';
  read_.found_events = bare_array_;
  state_ = bare_array_ ? State::events : State::members;
  ++at_;
  return Parsed::whole;
}

Parsed EventReader::parse_members() {
  skip_separators();
  if (at_ >= end_) return Parsed::needs_more;
  if (*at_ == '}') {
    state_ = State::end;
    return Parsed::whole;
  }
  if (*at_ != '"') return Parsed::damaged;
  const char* const key_end = scan::find_quote(at_ + 1, end_);
  if (key_end == nullptr) return Parsed::needs_more;
  const char* const colon = scan::skip_space(key_end + 1);
  if (colon >= end_) return Parsed::needs_more;
  if (*colon != ':') {
    at_ = colon;
    return Parsed::damaged;
  }
  return parse_member_value({at_ + 1, static_cast<std::size_t>(key_end - at_ - 1)}, scan::skip_space(colon + 1));
}

Parsed EventReader::parse_member_value(std::string_view key, const char* at) {
  if (key == "traceEvents" && *at == '[') {
    read_.found_events = true;
    state_ = State::events;
    at_ = at + 1;
    return Parsed::whole;
  }
  const char* const from = at;
  const Parsed parsed = skip_value(at, end_, skip_nested_);
  if (parsed == Parsed::needs_more) return parsed;
  if (key == "distributedInfo" && parsed == Parsed::whole) {
    const std::string_view object(from, static_cast<std::size_t>(at - from));
    read_.rank = integer_member(object, "\"rank\"");
    read_.world_size = integer_member(object, "\"world_size\"");
  }
  at_ = at;
  return parsed;
}

Parsed EventReader::parse_elements(TraceEvent& event, bool& found) {
  skip_separators();
  if (at_ >= end_) return Parsed::needs_more;
  if (*at_ == ']') {
    ++at_;
    state_ = bare_array_ ? State::end : State::members;
    return Parsed::whole;
  }
  if (*at_ != '{') return Parsed::damaged;
  const char* at = at_ + 1;
  const Parsed parsed = parse_event(at, end_, skip_nested_, event);
  if (parsed != Parsed::needs_more) at_ = at;
  found = parsed == Parsed::whole;
  return parsed;
}

void EventReader::skip_separators() {
  at_ = scan::skip_space(at_);
  while (*at_ == ',' && at_ < end_) at_ = scan::skip_space(at_ + 1);
}

void EventReader::read_more() {
  const bool full = static_cast<std::size_t>(end_ - at_) == kLargestEvent_bytes;
  if (full) return skip_large();
  const bool between_events = at_ >= end_ && bare_array_;  // the closing bracket may be missing
  if (refill()) return;
  read_.truncated = !between_events || source_.cut_short();
  state_ = State::end;
}

bool EventReader::refill() {
  const auto kept = static_cast<std::size_t>(end_ - at_);
  std::memmove(buffer_.data(), at_, kept);
  const std::size_t got = source_.read({buffer_.data() + kept, std::min(kBlock_bytes, kLargestEvent_bytes - kept)});
  at_ = buffer_.data();
  end_ = at_ + kept + got;
  std::memset(buffer_.data() + kept + got, 0, kScanPadding);
  read_.bytes += got;
  return got > 0;
}

void EventReader::skip_large() {
  LargeValue value;
  for (;; ++at_) {
    if (at_ >= end_ && !refill()) {
      ++read_.too_large;
      read_.truncated = true;
      state_ = State::end;
      return;
    }
    const LargeValue::Next next = value.take(*at_);
    if (next == LargeValue::Next::more) continue;
    if (next == LargeValue::Next::damaged) return skip_damaged_block();
    if (next == LargeValue::Next::ends_behind) ++at_;
    ++read_.too_large;
    return;
  }
}

// All that is in memory: to look for events in it could cost its length for every few bytes.
void EventReader::skip_damaged_block() {
  at_ = end_;
  resume();
}

// Behind what is no JSON: at the next event, or at the next key of the file's own object.
void EventReader::resume() {
  ++read_.damaged;
  if (state_ == State::start) {
    state_ = State::end;
    return;
  }
  const char wanted = state_ == State::events ? '{' : '"';
  const void* found = std::memchr(at_, wanted, static_cast<std::size_t>(end_ - at_));
  at_ = found == nullptr ? end_ : static_cast<const char*>(found);
}

}  // namespace stash
