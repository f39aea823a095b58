#include "stash/fleet/live/local/local_provider.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/fleet/live/fleet_record.h"
#include "stash/fleet/live/local/local_end.h"
#include "stash/fleet/live/local/proxy_config.h"
#include "stash/fleet/live/local/proxy_process.h"
#include "stash/fleet/live/local/proxy_servers.h"
#include "stash/fleet/live/metrics_text_reader.h"
#include "stash/fleet/replay/varying_draw.h"
#include "stash/serve/load/client_socket.h"
#include "stash/serve/load/load_request.h"
#include "stash/serve/server/listening_socket.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

constexpr double kAnnounce_s = 60;     // for a server to listen; it takes milliseconds
constexpr double kDrain_fleet_s = 60;  // for requests that a machine has taken
constexpr double kEnd_server_s = 20;   // from SIGTERM on
constexpr double kUnwell_s = 15;       // a machine that fails its checks for this long is given up
constexpr double kMetrics_s = 0.3;

// For a folder and for the proxy, whatever a type is called.
std::string plain_name(std::string name) {
  for (char& one : name) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(one)) != 0 || one == '.' || one == '_';
    if (!is_plain) one = '-';
  }
  return name;
}

std::string server_name(const LocalMachine& machine, std::size_t device) {
  return fmt::format("{}.{}", machine.id, device);
}

std::string times_text(const BatchTimes& times) {
  std::string text;
  for (const BatchTime& row : times.rows()) {
    text += fmt::format("{}{}={:.0f}us", text.empty() ? "" : ",", row.batch, row.s * 1e6);
  }
  return text;
}

}  // namespace

LocalProvider::LocalProvider(ProviderSetup setup)
    : setup_(std::move(setup)),
      proxy_(setup_.folder),
      log_(setup_.folder, setup_.objective.latency_s),
      random_(std::random_device{}()),
      weights_(proxy_weights(*setup_.market, setup_.objective)) {
  find_proxy();
  if (auto state = read_local_state(setup_.folder / "machines.json"); state && state->boot == boot_id()) {
    state_ = std::move(*state);
    for (const LocalMachine& one : state_.machines) {
      if (static_cast<std::size_t>(one.type) < setup_.market->machines.size()) continue;
      throw Error(
          fmt::format("{} has machine '{}' of another market: name another --folder, or end that fleet with "
                      "stash fleet stop",
                      (setup_.folder / "machines.json").string(), one.id));
    }
  } else {
    state_.boot = boot_id();
    state_.port = ListeningSocket({.host = "127.0.0.1", .port = setup_.port}).port();
  }
  keep_proxy();
  save();
}

std::string LocalProvider::address() const { return fmt::format("http://127.0.0.1:{}", state_.port); }

fs::path LocalProvider::folder_of(const LocalMachine& machine) const { return setup_.folder / "machines" / machine.id; }

void LocalProvider::keep_proxy() {
  if (is_alive(state_.proxy)) return;
  reap({state_.proxy});
  start_proxy();
}

void LocalProvider::start_proxy() {
  write_proxy_config();
  state_.proxy = start_proxy_process(setup_.folder);
  save();
  wait_for_proxy(proxy_, state_.proxy, setup_.folder);
}

void LocalProvider::write_proxy_config() {
  ProxyConfig config{.port = state_.port, .most_connections = most_proxy_connections()};
  config.servers = wanted_servers();
  std::string text = proxy_config_text(config);
  if (text == config_text_) return;
  write_file_atomically(setup_.folder / "haproxy.cfg", text);
  config_text_ = std::move(text);
}

// Those of all machines that do not start any more.
std::vector<ProxyServer> LocalProvider::wanted_servers() const {
  std::vector<ProxyServer> wanted;
  for (const LocalMachine& machine : state_.machines) {
    if (machine.state == MachineState::starting) continue;
    for (std::size_t i = 0; i < machine.servers.size(); ++i) {
      wanted.push_back({server_name(machine, i), machine.servers[i].port, weight_of(machine)});
    }
  }
  return wanted;
}

int LocalProvider::weight_of(const LocalMachine& machine) const {
  if (machine.state == MachineState::draining) return 0;
  return weights_.at(static_cast<std::size_t>(machine.type));
}

void LocalProvider::start(int type, bool spot, int count) {
  for (int i = 0; i < count; ++i) start_machine(type, spot);
  save();
}

// On disk before there is a process, which says itself who it is: a controller that is killed in between leaves none
// that nobody knows of.
void LocalProvider::start_machine(int type, bool spot) {
  const MachineType& what = setup_.market->machines.at(static_cast<std::size_t>(type));
  const std::int64_t now = now_ns();
  const double start_s = draw_s(what.start, random_) / setup_.speed;
  LocalMachine machine{.id = fmt::format("{}-{}", plain_name(what.name), state_.next++),
                       .type = type,
                       .spot = spot,
                       .state = MachineState::starting,
                       .ordered_ns = now,
                       .ready_ns = now + nanoseconds(start_s),
                       .changed_ns = now,
                       .servers = {}};
  machine.servers.resize(static_cast<std::size_t>(std::max(what.devices, 1)));
  fs::create_directories(folder_of(machine));
  state_.machines.push_back(machine);
  save();
  for (std::size_t i = 0; i < machine.servers.size(); ++i) {
    LocalServer& server = state_.machines.back().servers[i];
    server.process = start_detached(
        {setup_.program.string(), "serve", "--model", setup_.model, "--batch-times", times_text(what.times),
         "--objective", fmt::format("{:.0f}us", setup_.objective.latency_s * 1e6), "--max-batch",
         std::to_string(what.most_batch), "--port", "0", "--announce",
         (folder_of(machine) / fmt::format("server-{}.json", i)).string()},
        folder_of(machine) / fmt::format("server-{}.log", i));
  }
}

std::vector<LiveMachine> LocalProvider::look() {
  reap(all_processes());
  keep_proxy();
  seen_ = proxy_.servers();
  const std::int64_t now = now_ns();
  for (LocalMachine& machine : state_.machines) advance(machine, now);
  std::erase_if(state_.machines, [&](const LocalMachine& machine) {
    if (!is_lost(machine, now)) return false;
    kill_machine(machine);
    unwell_since_.erase(machine.id);
    return true;
  });
  write_proxy_config();
  sync_proxy_servers(proxy_, seen_, wanted_servers());
  save();
  std::vector<LiveMachine> found;
  for (const LocalMachine& one : state_.machines) {
    found.push_back({.id = one.id, .type = one.type, .spot = one.spot, .state = one.state, .busy_s = busy_s(one)});
  }
  return found;
}

void LocalProvider::advance(LocalMachine& machine, std::int64_t now) {
  if (machine.state == MachineState::starting) {
    for (std::size_t i = 0; i < machine.servers.size(); ++i) {
      if (machine.servers[i].port != 0) continue;
      if (const auto said = read_announcement(folder_of(machine) / fmt::format("server-{}.json", i))) {
        machine.servers[i] = *said;
      }
    }
    const bool is_there = std::ranges::all_of(machine.servers, [](const LocalServer& one) { return one.port != 0; });
    if (!is_there || now < machine.ready_ns) return;
    machine.state = MachineState::ready;
    machine.changed_ns = now;
    return;
  }
  bool is_well = false;
  int sessions = 0;
  for (std::size_t i = 0; i < machine.servers.size(); ++i) {
    const auto state = seen_.find(server_name(machine, i));
    if (state == seen_.end()) continue;
    is_well = is_well || state->second.is_up();
    sessions += state->second.sessions + state->second.queued;
  }
  if (is_well || machine.state == MachineState::draining) {
    unwell_since_.erase(machine.id);
  } else {
    unwell_since_.try_emplace(machine.id, now);
  }
  // The first look after the order to drain may have been answered before it.
  if (machine.state != MachineState::draining || seconds(now - machine.changed_ns) < 1) return;
  if (sessions > 0 && seconds(now - machine.changed_ns) < kDrain_fleet_s) return;
  for (const LocalServer& one : machine.servers) signal_process(one.process, SIGTERM);
}

bool LocalProvider::is_lost(const LocalMachine& machine, std::int64_t now) const {
  for (const LocalServer& one : machine.servers) {
    if (one.process.pid != 0 && !is_alive(one.process)) return true;
  }
  if (machine.state == MachineState::draining) {
    return seconds(now - machine.changed_ns) > kDrain_fleet_s + kEnd_server_s;
  }
  if (machine.state == MachineState::starting) {
    const bool is_said = std::ranges::all_of(machine.servers, [](const LocalServer& one) { return one.port != 0; });
    return !is_said && seconds(now - machine.ordered_ns) > kAnnounce_s;
  }
  const auto unwell = unwell_since_.find(machine.id);
  return unwell != unwell_since_.end() && seconds(now - unwell->second) > kUnwell_s;
}

void LocalProvider::kill_machine(const LocalMachine& machine) const {
  for (const LocalServer& one : machine.servers) signal_process(one.process, SIGKILL);
}

void LocalProvider::stop(int type, bool spot, int count) {
  const auto of = [&](const LocalMachine& machine, MachineState state) {
    return machine.type == type && machine.spot == spot && machine.state == state;
  };
  // The youngest first, and before all others those that bring nothing yet.
  for (std::size_t i = state_.machines.size(); i-- > 0 && count > 0;) {
    if (!of(state_.machines[i], MachineState::starting)) continue;
    kill_machine(state_.machines[i]);
    state_.machines.erase(state_.machines.begin() + static_cast<std::ptrdiff_t>(i));
    --count;
  }
  for (std::size_t i = state_.machines.size(); i-- > 0 && count > 0;) {
    if (!of(state_.machines[i], MachineState::ready)) continue;
    drain(state_.machines[i]);
    --count;
  }
  save();
}

void LocalProvider::drain(LocalMachine& machine) {
  machine.state = MachineState::draining;
  machine.changed_ns = now_ns();
  save();
  for (std::size_t i = 0; i < machine.servers.size(); ++i) {
    proxy_.order(fmt::format("set server {}/{} weight 0", kProxyServers, server_name(machine, i)));
  }
}

void LocalProvider::read_load(LoadBook& book, double now_s) {
  const std::int64_t now_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  log_.read([&](const ToldRequest& told) {
    const double ago_s = static_cast<double>(now_ms - told.ended_ms) * 1e-3 + told.latency_s;
    book.add_request(std::clamp(now_s - ago_s * setup_.speed, 0.0, now_s), told.latency_s, told.end);
  });
}

std::optional<double> LocalProvider::busy_s(const LocalMachine& machine) const {
  if (machine.state != MachineState::ready || unwell_since_.contains(machine.id)) return std::nullopt;
  double sum_s = 0;
  for (const LocalServer& one : machine.servers) {
    try {
      const LoadTarget target{.host = "127.0.0.1", .port = std::to_string(one.port), .model = "", .path = "/metrics"};
      const std::string text =
          ask(target, fmt::format("GET /metrics HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", target.authority()),
              kMetrics_s);
      const auto busy = sum_of_metric(text, "stash_device_busy_seconds_total");
      if (!busy) return std::nullopt;
      sum_s += *busy;
    } catch (const Error&) {
      return std::nullopt;  // whether it lives is seen elsewhere
    }
  }
  return sum_s;
}

std::vector<ProcessIdentity> LocalProvider::all_processes() const {
  std::vector<ProcessIdentity> all;
  for (const LocalMachine& machine : state_.machines) {
    for (const LocalServer& one : machine.servers) all.push_back(one.process);
  }
  return all;
}

void LocalProvider::end(bool keeps_machines) {
  save();
  if (keeps_machines) return;
  end_local_fleet(setup_.folder, state_);
  state_.machines.clear();
  state_.proxy = {};
}

void LocalProvider::save() {
  std::string text = local_state_text(state_);
  if (text == saved_text_) return;
  write_file_atomically(setup_.folder / "machines.json", text);
  saved_text_ = std::move(text);
}

}  // namespace stash
