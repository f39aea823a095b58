#include "stash/launch/hang.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <tuple>

namespace stash {
namespace {

bool is_stopped(pid_t pid) {
  std::ifstream stat(fmt::format("/proc/{}/stat", pid));
  std::string line;
  std::getline(stat, line);
  const std::size_t end_of_name = line.rfind(')');
  return end_of_name != std::string::npos && line.size() > end_of_name + 2 &&
         (line[end_of_name + 2] == 'T' || line[end_of_name + 2] == 't');
}

int blame_order(Phase phase) {
  switch (phase) {
    case Phase::starting:
    case Phase::working:
      return 0;
    case Phase::collective:
      return 1;
    case Phase::waiting:
      return 2;
    case Phase::done:
      return 3;
  }
  return 3;
}

bool waits(Phase phase) { return phase == Phase::collective || phase == Phase::waiting; }

}  // namespace

std::optional<int> find_hung_rank(std::span<RankState> states, std::int64_t now_ns, std::int64_t deadline_ns,
                                  double patience, const std::function<pid_t(int rank)>& pid_of) {
  using Blame = std::tuple<bool, int, std::int64_t, int>;  // smallest is the culprit; the rank is the last element
  std::optional<Blame> worst;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const int rank = static_cast<int>(i);
    const pid_t pid = pid_of(rank);
    if (pid <= 0) continue;
    const Phase phase = states[i].phase.load();
    const double limit_ns = static_cast<double>(deadline_ns) * (waits(phase) ? patience : 1);
    if (static_cast<double>(now_ns - states[i].beat_ns.load()) < limit_ns) return std::nullopt;
    const Blame blame{!is_stopped(pid), blame_order(phase), states[i].step.load(), rank};
    worst = worst ? std::min(*worst, blame) : blame;
  }
  if (!worst) return std::nullopt;
  return std::get<3>(*worst);
}

}  // namespace stash
