#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stash/core/error.h"
#include "stash/launch/cluster/launched_process.h"
#include "stash/launch/cluster/peer.h"
#include "stash/launch/process/child.h"
#include "stash/launch/protocol/peer_messages.h"

namespace stash {

// A process of the launch is gone, cut off or stopped: nothing more can be measured with it.
struct PeerLost : Error {
  using Error::Error;
};

// Rank 0's process, which leads the others of its launch.
class PeerLeader {
 public:
  // Listens from now on. `own` is this process; `deadline_s`: without a sign of life from another.
  PeerLeader(const LaunchedProcess& launched, const MeetingPoint& meeting, PeerHello own, double deadline_s);
  ~PeerLeader();  // tells the others to leave, where they were not told

  // Waits until all have come; `tell` hears of those that are waited for. Error names those that do not come, are of
  // another version or were started with other flags.
  void gather(const std::function<void(std::string_view)>& tell);
  int nodes() const;  // of all processes

  void order(const PeerOrder& order);
  // A report of each, as ordered by rank; nullopt where `stop` asked for it: the next call waits for those that are
  // missing still. PeerLost where one does not come within `limit_s`.
  std::optional<std::vector<PeerReport>> collect(double limit_s, const std::function<bool()>& stop);
  bool has_lost_one();
  // Each that came or still comes within seconds leaves with this code.
  void dismiss(int exit_code);
  // "process 1 on b"; `place` as in the reports.
  std::string name(std::size_t place) const;

 private:
  struct Member {
    PeerHello hello;
    std::unique_ptr<Peer> peer;
  };
  struct Newcomer {
    std::unique_ptr<Peer> peer;
    std::int64_t since_ns;
  };
  void accept_newcomers();
  void hear_newcomers();
  void add(std::unique_ptr<Peer> peer, const std::string& line);
  void greet(Peer& peer) const;
  void check_alike(const PeerHello& hello) const;
  void wait() const;
  std::string missing() const;
  bool is_complete() const { return static_cast<int>(members_.size()) == size_ - 1; }
  void take_report(const Member& member, bool is_late);
  std::optional<std::string> why_lost(const Member& member) const;

  int size_;
  PeerHello own_;
  std::string meeting_;
  double deadline_s_;
  Fd listener_;
  int port_;
  std::vector<Newcomer> newcomers_;
  std::map<int, Member> members_;      // by rank
  std::map<int, PeerReport> reports_;  // to the last order, by rank, while some are missing
  bool dismissed_ = false;
  Heart heart_;
};

// What tells a launch from others that meet on the same host.
std::string meeting_text(int size, const MeetingPoint& meeting);

}  // namespace stash
