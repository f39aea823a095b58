#include "stash/launch/protocol/peer_messages.h"

#include <nlohmann/json.hpp>

#include "stash/core/job_fields.h"
#include "stash/core/json_fields.h"
#include "stash/core/profile_json.h"

namespace stash {

template <class V, json_fields::FieldsOf<PeerGreeting> T>
void fields(V& visit, T& greeting) {
  visit("host", greeting.host);
  visit("stash", greeting.stash);
  visit("meeting", greeting.meeting);
}

template <class V, json_fields::FieldsOf<PeerHello> T>
void fields(V& visit, T& hello) {
  visit("rank", hello.rank, 0);
  visit("host", hello.host);
  visit("node", hello.node);
  visit("stash", hello.stash);
  visit("flags", hello.flags);
}

template <class V, json_fields::FieldsOf<PeerOrder> T>
void fields(V& visit, T& order) {
  visit("step", order.step);
  visit("job", order.job);
  visit("attempt", order.attempt);
  visit("fresh", order.fresh);
  visit("exit_code", order.exit_code, 0);
}

template <class V, json_fields::FieldsOf<PeerReport> T>
void fields(V& visit, T& report) {
  visit("torch", report.torch);
  visit("fault", report.fault);
  visit("is_consequence", report.is_consequence);
  visit("interrupted", report.interrupted);
}

namespace {

template <class T>
std::string line_of(const T& message) {
  return dump_json(json_fields::write(message));
}

template <class T>
T message_from(std::string_view line) {
  T message;
  json_fields::read(parse_json(line, "the message"), json_fields::Path{nullptr, "message"}, message);
  return message;
}

}  // namespace

std::string_view to_string(PeerStep step) {
  switch (step) {
    case PeerStep::ready:
      return "ready";
    case PeerStep::prepare:
      return "prepare";
    case PeerStep::start:
      return "start";
    case PeerStep::stop:
      return "stop";
    case PeerStep::end:
      return "end";
  }
  return "end";
}

std::string to_line(const PeerGreeting& greeting) { return line_of(greeting); }
std::string to_line(const PeerHello& hello) { return line_of(hello); }
std::string to_line(const PeerOrder& order) { return line_of(order); }
std::string to_line(const PeerReport& report) { return line_of(report); }

PeerGreeting greeting_from_line(std::string_view line) { return message_from<PeerGreeting>(line); }
PeerHello hello_from_line(std::string_view line) { return message_from<PeerHello>(line); }
PeerOrder peer_order_from_line(std::string_view line) { return message_from<PeerOrder>(line); }
PeerReport report_from_line(std::string_view line) { return message_from<PeerReport>(line); }

}  // namespace stash
