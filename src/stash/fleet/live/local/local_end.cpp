#include "stash/fleet/live/local/local_end.h"

#include <algorithm>
#include <csignal>
#include <system_error>
#include <vector>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/fleet/live/local/proxy_socket.h"

namespace stash {
namespace {

constexpr double kAnswers_s = 60;  // for what was accepted
constexpr double kQuiet_s = 0.5;   // without any request: then all is said, and told to whoever counts
constexpr double kServers_s = 20;  // from SIGTERM on: a server gives what it accepted 10 s
constexpr double kEndLook_s = 0.05;

void wait_until_gone(const std::vector<ProcessIdentity>& processes, double most_s) {
  const std::int64_t deadline_ns = now_ns() + nanoseconds(most_s);
  while (now_ns() < deadline_ns) {
    reap(processes);
    if (std::ranges::none_of(processes, is_alive)) return;
    sleep_until_ns(now_ns() + nanoseconds(kEndLook_s));
  }
}

// New connections are refused; those that there are may end what they began.
void drain_proxy(const ProxySocket& proxy) {
  proxy.ask("disable frontend requests");
  const std::int64_t deadline_ns = now_ns() + nanoseconds(kAnswers_s);
  std::int64_t busy_ns = now_ns();
  while (now_ns() < deadline_ns && seconds(now_ns() - busy_ns) < kQuiet_s) {
    int sessions = 0;
    for (const auto& [name, state] : proxy.servers()) sessions += state.sessions + state.queued;
    if (sessions > 0) busy_ns = now_ns();
    sleep_until_ns(now_ns() + nanoseconds(kEndLook_s));
  }
}

}  // namespace

void end_local_fleet(const std::filesystem::path& folder, const LocalState& state) {
  if (is_alive(state.proxy)) {
    try {
      drain_proxy(ProxySocket(folder));
    } catch (const Error&) {
      // It does not answer; it ends all the same.
    }
    signal_process(state.proxy, SIGTERM);
    wait_until_gone({state.proxy}, kServers_s);
    signal_process(state.proxy, SIGKILL);
  }
  std::vector<ProcessIdentity> servers;
  for (const LocalMachine& machine : state.machines) {
    for (const LocalServer& one : machine.servers) servers.push_back(one.process);
  }
  for (const ProcessIdentity& one : servers) signal_process(one, SIGTERM);
  wait_until_gone(servers, kServers_s);
  for (const ProcessIdentity& one : servers) signal_process(one, SIGKILL);
  std::error_code ignored;
  std::filesystem::remove(folder / "machines.json", ignored);
}

}  // namespace stash
