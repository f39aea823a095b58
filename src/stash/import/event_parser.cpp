#include "stash/import/event_parser.h"

#include <cstring>

#include "stash/import/scan.h"

namespace stash {
namespace {

enum class Key { phase, category, name, process, thread, start, duration, other };

struct FoundKey {
  Key key = Key::other;
  std::size_t length = 0;  // of a key that is not `other`
};

// `N` counts the closing quote and the end of the literal; kScanPadding makes reading beyond a key harmless.
template <std::size_t N>
bool is(const char* key, const char (&quoted)[N]) {
  return std::memcmp(key, quoted, N - 1) == 0;
}

FoundKey key_at(const char* key) {
  switch (*key) {
    case 'p':
      if (is(key, "ph\"")) return {Key::phase, 2};
      return is(key, "pid\"") ? FoundKey{Key::process, 3} : FoundKey{};
    case 'c':
      return is(key, "cat\"") ? FoundKey{Key::category, 3} : FoundKey{};
    case 'n':
      return is(key, "name\"") ? FoundKey{Key::name, 4} : FoundKey{};
    case 't':
      if (is(key, "ts\"")) return {Key::start, 2};
      return is(key, "tid\"") ? FoundKey{Key::thread, 3} : FoundKey{};
    case 'd':
      return is(key, "dur\"") ? FoundKey{Key::duration, 3} : FoundKey{};
    default:
      return {};
  }
}

// Member by member: as a whole it would be a slow fill of a hundred bytes, millions of times.
void clear(TraceEvent& event) {
  event.phase = 0;
  event.category = event.name = event.rest = {};
  event.process.reset();
  event.thread.reset();
  event.start_ns.reset();
  event.duration_ns.reset();
}

// Reads members until the event is whole. Keeps its place in `at_`, so that a failure can be found.
class EventParser {
 public:
  EventParser(const char* at, const char* end, SkipNested skip_nested, TraceEvent& event)
      : at_(at), end_(end), skip_nested_(skip_nested), event_(event) {}

  const char* at() const { return at_; }

  Parsed parse() {
    clear(event_);
    at_ = scan::skip_space(at_);
    if (*at_ == '}') return close();
    for (;;) {
      if (const Parsed parsed = parse_member(); parsed != Parsed::whole) return parsed;
      if (nothing_left()) return skip_rest();
      at_ = scan::skip_space(at_);
      if (*at_ == '}') return close();
      if (*at_ != ',') return wrong();
      at_ = scan::skip_space(at_ + 1);
    }
  }

 private:
  Parsed wrong() const { return at_ >= end_ ? Parsed::needs_more : Parsed::damaged; }

  // Flows, marks and names of threads are of no use, and behind the duration come only arguments.
  bool nothing_left() const {
    if (event_.phase != 'X') return event_.phase != 0;
    return event_.duration_ns && event_.start_ns && event_.process && has_names_;
  }

  Parsed skip_rest() {
    const char* const behind = skip_nested_(at_, end_);
    if (behind == nullptr) return Parsed::needs_more;
    event_.rest = {at_, static_cast<std::size_t>(behind - at_)};
    at_ = behind;
    return Parsed::whole;
  }

  Parsed close() {
    if (at_ >= end_) return Parsed::needs_more;
    ++at_;
    return Parsed::whole;
  }

  Parsed parse_member() {
    if (*at_ != '"') return wrong();
    const char* const key = at_ + 1;
    const FoundKey found = key_at(key);
    const char* const key_end = found.key == Key::other ? scan::find_quote(key, end_) : key + found.length;
    if (key_end == nullptr || key_end >= end_) return Parsed::needs_more;
    at_ = scan::skip_space(key_end + 1);
    if (*at_ != ':') return wrong();
    at_ = scan::skip_space(at_ + 1);
    return parse_value(found.key);
  }

  Parsed parse_value(Key key) {
    if (*at_ == '"') return parse_string(key);
    if (*at_ == '{' || *at_ == '[' || key == Key::other) return skip_value(at_, end_, skip_nested_);
    const char* const from = at_;
    parse_number(key, at_);
    return at_ == from ? wrong() : Parsed::whole;
  }

  Parsed parse_string(Key key) {
    const char* const from = at_ + 1;
    const char* const to = scan::find_quote(from, end_);
    if (to == nullptr) return Parsed::needs_more;
    const std::string_view text(from, static_cast<std::size_t>(to - from));
    take_text(key, text);
    at_ = to + 1;
    return Parsed::whole;
  }

  void take_text(Key key, std::string_view text) {
    switch (key) {
      case Key::phase:
        if (!text.empty()) event_.phase = text[0];
        break;
      case Key::category:
        event_.category = text;
        break;
      case Key::name:
        event_.name = text;
        break;
      default:
        take_quoted_number(key, text);
    }
    has_names_ = !event_.category.empty() && !event_.name.empty();
  }

  // Some writers quote times. What holds more than a number is none.
  void take_quoted_number(Key key, std::string_view text) {
    const char* at = text.data();
    parse_number(key, at);
    if (at != text.data() + text.size()) forget(key);
  }

  void parse_number(Key key, const char*& at) {
    switch (key) {
      case Key::start:
        event_.start_ns = scan::read_us_as_ns(at);
        break;
      case Key::duration:
        event_.duration_ns = scan::read_us_as_ns(at);
        break;
      case Key::process:
        event_.process = scan::read_integer(at);
        break;
      case Key::thread:
        event_.thread = scan::read_integer(at);
        break;
      default:
        at = scan::skip_word(at);
    }
  }

  void forget(Key key) {
    if (key == Key::start) event_.start_ns.reset();
    if (key == Key::duration) event_.duration_ns.reset();
    if (key == Key::process) event_.process.reset();
    if (key == Key::thread) event_.thread.reset();
  }

  const char* at_;
  const char* end_;
  SkipNested skip_nested_;
  TraceEvent& event_;
  bool has_names_ = false;
};

}  // namespace

Parsed parse_event(const char*& at, const char* end, SkipNested skip_nested, TraceEvent& event) {
  EventParser parser(at, end, skip_nested, event);
  const Parsed parsed = parser.parse();
  if (parsed != Parsed::needs_more) at = parser.at();
  return parsed;
}

Parsed skip_value(const char*& at, const char* end, SkipNested skip_nested) {
  if (at >= end) return Parsed::needs_more;
  const bool is_string = *at == '"';
  const char* to = nullptr;
  if (is_string) {
    to = scan::find_quote(at + 1, end);
  } else if (*at == '{' || *at == '[') {
    to = skip_nested(at + 1, end);
  } else {
    to = scan::skip_word(at);
    if (to == at) return Parsed::damaged;
  }
  if (to == nullptr) return Parsed::needs_more;
  at = is_string ? to + 1 : to;
  return Parsed::whole;
}

}  // namespace stash
