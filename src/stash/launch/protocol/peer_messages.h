#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "stash/core/job.h"

namespace stash {

// What the processes of a launch tell each other where rank 0's leads the others from case to case; a JSON object per
// line. First the leader greets, then the others say who they are, then each order is answered by a report.
struct PeerGreeting {
  std::string host;
  std::string stash;    // version
  std::string meeting;  // what tells this launch from others of the host
};

struct PeerHello {
  int rank = 0;  // of the launcher
  std::string host;
  std::string node;                          // processes with the same one share a node
  std::string stash;                         // version
  std::map<std::string, std::string> flags;  // that were given
};

// ready: find what ranks run with; prepare: check that the job can run here, and make its data; start: run it; stop:
// end it, without an answer; end: leave.
enum class PeerStep { ready, prepare, start, stop, end };
std::string_view to_string(PeerStep step);
constexpr std::array<PeerStep, 5> every(PeerStep) {
  return {PeerStep::ready, PeerStep::prepare, PeerStep::start, PeerStep::stop, PeerStep::end};
}

struct PeerOrder {
  PeerStep step = PeerStep::end;
  Job job = {};              // prepare
  std::string attempt = {};  // start: what tells this meeting of ranks from earlier ones
  bool fresh = false;        // start: with new ranks, since rank 0 is new
  int exit_code = 0;         // end
};

struct PeerReport {
  std::string torch = {};                 // ready: its version
  std::optional<std::string> fault = {};  // why it could not
  bool is_consequence = false;            // of a fault elsewhere
  bool interrupted = false;               // by a person; it leaves
};

std::string to_line(const PeerGreeting& greeting);
std::string to_line(const PeerHello& hello);
std::string to_line(const PeerOrder& order);
std::string to_line(const PeerReport& report);

// Error when it is no such message.
PeerGreeting greeting_from_line(std::string_view line);
PeerHello hello_from_line(std::string_view line);
PeerOrder peer_order_from_line(std::string_view line);
PeerReport report_from_line(std::string_view line);

}  // namespace stash
