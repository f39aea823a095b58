#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "stash/launch/cluster/launched_process.h"
#include "stash/launch/cluster/peer.h"
#include "stash/launch/protocol/peer_messages.h"

namespace stash {

// A process of a launch that does what rank 0's says.
class PeerFollower {
 public:
  // Connects to it. Error when it does not come.
  PeerFollower(int size, const MeetingPoint& meeting, const PeerHello& own, double deadline_s);

  void report(const PeerReport& report) { leader_->send(to_line(report)); }
  // The next order; nullopt where `stop` asked for it. Error when the leader is gone or cut off.
  std::optional<PeerOrder> wait(const std::function<bool()>& stop);
  bool has_lost_leader();
  // While ranks run: the leader wants their end.
  bool is_told_to_stop();

 private:
  void hear_order();
  bool is_taken_in(int port, int size, const MeetingPoint& meeting, const PeerHello& own);

  double deadline_s_;
  PeerGreeting greeting_;
  std::unique_ptr<Peer> leader_;
  std::optional<PeerOrder> next_;  // that has come while ranks ran
  Heart heart_;
};

}  // namespace stash
