#include "stash/launch/cluster/peer_leader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/socket.h>

#include <algorithm>
#include <set>
#include <utility>

#include "stash/core/clock.h"
#include "stash/core/units.h"
#include "stash/launch/cluster/peer_ports.h"

namespace stash {
namespace {

constexpr double kArrival_deadlines = 10;  // as ranks wait for each other
constexpr double kToldAfter_s = 3;         // before a person hears who is waited for
constexpr double kIntroduction_s = 10;     // for whoever connects to say who it is
constexpr double kLatecomer_s = 5;         // for others to come and hear that there is nothing to do
constexpr double kParting_s = 2;
constexpr std::size_t kMostNewcomers = 256;  // others may connect to the port too
constexpr int kMostNamedRanks = 8;

std::string flag_text(const PeerHello& hello, const std::string& flag) {
  const auto found = hello.flags.find(flag);
  return found == hello.flags.end() ? fmt::format("no {}", flag) : fmt::format("{} {}", flag, found->second);
}

// The first flag that is not the same.
std::optional<std::string> other_flag(const PeerHello& one, const PeerHello& other) {
  for (const auto* hello : {&one, &other}) {
    for (const auto& [flag, value] : hello->flags) {
      if (flag_text(one, flag) != flag_text(other, flag)) return flag;
    }
  }
  return std::nullopt;
}

std::string process_name(const PeerHello& hello) { return fmt::format("process {} on {}", hello.rank, hello.host); }

// Half a line is what a process leaves that is killed.
PeerReport read_report(std::string_view line, const PeerHello& hello) {
  try {
    return report_from_line(line);
  } catch (const Error& error) {
    throw PeerLost(fmt::format("{} sent no report ({}). The same command resumes", process_name(hello), error.what()));
  }
}

}  // namespace

PeerLeader::PeerLeader(const LaunchedProcess& launched, const MeetingPoint& meeting, PeerHello own, double deadline_s)
    : size_(launched.size),
      own_(std::move(own)),
      meeting_(meeting_text(launched.size, meeting)),
      deadline_s_(deadline_s),
      port_(listen_for_peers(meeting.address, meeting.port, listener_)) {}

PeerLeader::~PeerLeader() {
  if (!dismissed_) dismiss(1);
}

std::string PeerLeader::name(std::size_t place) const {
  return process_name(std::next(members_.begin(), static_cast<std::ptrdiff_t>(place))->second.hello);
}

int PeerLeader::nodes() const {
  std::set<std::string> nodes{own_.node};
  for (const auto& [rank, member] : members_) nodes.insert(member.hello.node);
  return static_cast<int>(nodes.size());
}

void PeerLeader::wait() const {
  std::vector<int> fds{listener_.get()};
  for (const Newcomer& newcomer : newcomers_) fds.push_back(newcomer.peer->fd());
  for (const auto& [rank, member] : members_) fds.push_back(member.peer->fd());
  wait_for_peers(fds);
}

void PeerLeader::greet(Peer& peer) const {
  peer.send(to_line(PeerGreeting{.host = own_.host, .stash = own_.stash, .meeting = meeting_}));
}

void PeerLeader::accept_newcomers() {
  for (int fd = 0; newcomers_.size() < kMostNewcomers;) {
    fd = accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    newcomers_.push_back({std::make_unique<Peer>(fd), now_ns()});
    greet(*newcomers_.back().peer);
  }
}

void PeerLeader::hear_newcomers() {
  for (Newcomer& newcomer : newcomers_) {
    if (const auto line = newcomer.peer->take()) add(std::move(newcomer.peer), *line);
  }
  std::erase_if(newcomers_, [](const Newcomer& newcomer) {
    return !newcomer.peer || newcomer.peer->is_gone() || seconds(now_ns() - newcomer.since_ns) > kIntroduction_s;
  });
}

// Whoever does not speak as one of us is not, nor is one of another launch that is just like this one.
void PeerLeader::add(std::unique_ptr<Peer> peer, const std::string& line) {
  PeerHello hello;
  try {
    hello = hello_from_line(line);
  } catch (const Error&) {
    return;
  }
  if (hello.rank < 1 || hello.rank >= size_ || members_.contains(hello.rank)) return;
  greet(*peer);
  const int rank = hello.rank;
  Member& member = members_[rank] = {std::move(hello), std::move(peer)};
  heart_.add(member.peer.get());
}

void PeerLeader::check_alike(const PeerHello& hello) const {
  if (hello.stash != own_.stash) {
    throw Error(fmt::format("{} has stash {} and {} has stash {}: install the same version on every host",
                            process_name(own_), own_.stash, process_name(hello), hello.stash));
  }
  const auto flag = other_flag(own_, hello);
  if (!flag) return;
  throw UsageError(fmt::format("{} was started with {} and {} with {}: start all processes with the same command",
                               process_name(own_), flag_text(own_, *flag), process_name(hello),
                               flag_text(hello, *flag)));
}

std::string PeerLeader::missing() const {
  std::vector<int> ranks;
  for (int rank = 1; rank < size_; ++rank) {
    if (!members_.contains(rank)) ranks.push_back(rank);
  }
  const std::size_t all = ranks.size();
  if (all > kMostNamedRanks) ranks.resize(kMostNamedRanks);
  return fmt::format("{} of {} processes ({}{})", all, size_, fmt::join(ranks, ", "),
                     all > kMostNamedRanks ? ", …" : "");
}

void PeerLeader::gather(const std::function<void(std::string_view)>& tell) {
  const std::int64_t start_ns = now_ns();
  while (!is_complete()) {
    accept_newcomers();
    hear_newcomers();
    for (const auto& [rank, member] : members_) {
      if (const auto why = why_lost(member)) throw PeerLost(*why);
    }
    const double waited_s = seconds(now_ns() - start_ns);
    if (waited_s > kToldAfter_s) tell(fmt::format("waiting for {} …", missing()));
    if (waited_s > kArrival_deadlines * deadline_s_) {
      throw Error(fmt::format("{} did not come to port {} of {} within {}: check that their hosts reach it", missing(),
                              port_, own_.host, format_duration(waited_s)));
    }
    if (!is_complete()) wait();
  }
  for (const auto& [rank, member] : members_) check_alike(member.hello);
}

void PeerLeader::order(const PeerOrder& order) {
  const std::string line = to_line(order);
  for (const auto& [rank, member] : members_) member.peer->send(line);
}

std::optional<std::string> PeerLeader::why_lost(const Member& member) const {
  member.peer->hear();
  if (member.peer->is_gone()) {
    return fmt::format("{} has ended; its message says why. The same command resumes", process_name(member.hello));
  }
  if (member.peer->silent_s() <= deadline_s_) return std::nullopt;
  return fmt::format("{} gave no sign of life for {}: its host is cut off or down. The same command resumes",
                     process_name(member.hello), format_duration(deadline_s_));
}

bool PeerLeader::has_lost_one() {
  return std::ranges::any_of(members_, [&](const auto& entry) { return why_lost(entry.second).has_value(); });
}

// PeerLost where the process is gone, was stopped or is late.
void PeerLeader::take_report(const Member& member, bool is_late) {
  const auto why = why_lost(member);
  if (const auto line = member.peer->take()) {
    const PeerReport& report = reports_[member.hello.rank] = read_report(*line, member.hello);
    if (!report.interrupted) return;
    throw PeerLost(fmt::format("{} was stopped. The same command resumes", process_name(member.hello)));
  }
  if (why) throw PeerLost(*why);
  if (is_late) {
    throw PeerLost(fmt::format("{} did not answer in time. The same command resumes", process_name(member.hello)));
  }
}

std::optional<std::vector<PeerReport>> PeerLeader::collect(double limit_s, const std::function<bool()>& stop) {
  const std::int64_t start_ns = now_ns();
  for (;;) {
    const bool is_late = seconds(now_ns() - start_ns) > limit_s;
    for (const auto& [rank, member] : members_) {
      if (!reports_.contains(rank)) take_report(member, is_late);
    }
    if (reports_.size() == members_.size()) break;
    if (stop()) return std::nullopt;
    wait();
  }
  std::vector<PeerReport> list;
  for (auto& [rank, report] : std::exchange(reports_, {})) list.push_back(report);
  return list;
}

void PeerLeader::dismiss(int exit_code) {
  dismissed_ = true;
  const std::int64_t until_ns = now_ns() + nanoseconds(kLatecomer_s);
  while (!is_complete() && now_ns() < until_ns) {
    accept_newcomers();
    hear_newcomers();
    wait();
  }
  order({.step = PeerStep::end, .exit_code = exit_code});
  for (const auto& [rank, member] : members_) member.peer->part(kParting_s);
}

std::string meeting_text(int size, const MeetingPoint& meeting) {
  return fmt::format("{} processes, port {}, attempt '{}'", size, meeting.port, meeting.attempt);
}

}  // namespace stash
