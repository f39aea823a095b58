#include "stash/launch/cluster/peer_follower.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/launch/cluster/peer_leader.h"
#include "stash/launch/cluster/peer_ports.h"

namespace stash {
namespace {

constexpr double kLeaderDeadlines = 10;  // as ranks wait for each other
constexpr double kGreeting_s = 3;
constexpr double kTryAgain_s = 0.2;

std::optional<std::string> next_line(Peer& peer, double s) {
  const std::int64_t until_ns = now_ns() + nanoseconds(s);
  while (now_ns() < until_ns) {
    if (auto line = peer.take()) return line;
    if (peer.is_gone()) return std::nullopt;
    wait_for_peers({peer.fd()});
  }
  return std::nullopt;
}

}  // namespace

// Whoever else listens there greets otherwise, or not at all. The leader greets again when it knows who this is.
bool PeerFollower::is_taken_in(int port, int size, const MeetingPoint& meeting, const PeerHello& own) {
  Fd connection;
  connect_to_peer(meeting.address, port, connection);
  if (connection.get() < 0) return false;
  leader_ = std::make_unique<Peer>(connection.release());
  try {
    const auto line = next_line(*leader_, kGreeting_s);
    if (!line) return false;
    greeting_ = greeting_from_line(*line);
  } catch (const Error&) {
    return false;
  }
  if (greeting_.meeting != meeting_text(size, meeting)) return false;
  leader_->send(to_line(own));
  return next_line(*leader_, kGreeting_s).has_value();
}

PeerFollower::PeerFollower(int size, const MeetingPoint& meeting, const PeerHello& own, double deadline_s)
    : deadline_s_(deadline_s) {
  const std::int64_t until_ns = now_ns() + nanoseconds(kLeaderDeadlines * deadline_s);
  const auto ports = peer_ports(meeting.port);
  while (now_ns() < until_ns) {
    for (const int port : ports) {
      if (!is_taken_in(port, size, meeting, own)) continue;
      heart_.add(leader_.get());
      return;
    }
    sleep_until_ns(now_ns() + nanoseconds(kTryAgain_s));
  }
  throw Error(fmt::format("process 0 cannot be reached at {} (ports {}) for {}: check that it runs, and firewalls",
                          meeting.address, fmt::join(ports, ", "), format_duration(kLeaderDeadlines * deadline_s)));
}

bool PeerFollower::has_lost_leader() {
  leader_->hear();
  return leader_->is_gone() || leader_->silent_s() > deadline_s_;
}

void PeerFollower::hear_order() {
  if (next_) return;
  if (const auto line = leader_->take()) next_ = peer_order_from_line(*line);
}

// Whatever it says: the leader has done with this case.
bool PeerFollower::is_told_to_stop() {
  hear_order();
  return next_.has_value();
}

std::optional<PeerOrder> PeerFollower::wait(const std::function<bool()>& stop) {
  for (;;) {
    const bool lost = has_lost_leader();
    hear_order();
    if (const auto order = std::exchange(next_, std::nullopt)) {
      if (order->step != PeerStep::stop) return order;
      continue;  // what it was to end has ended
    }
    if (lost) {
      throw Error(fmt::format("process 0 on {} has ended or is cut off: its message says why. The same command resumes",
                              greeting_.host));
    }
    if (stop()) return std::nullopt;
    wait_for_peers({leader_->fd()});
  }
}

}  // namespace stash
