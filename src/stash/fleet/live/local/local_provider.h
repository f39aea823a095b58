#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "stash/fleet/live/fleet_provider.h"
#include "stash/fleet/live/local/local_state.h"
#include "stash/fleet/live/local/proxy_config.h"
#include "stash/fleet/live/local/proxy_socket.h"
#include "stash/fleet/live/local/request_log.h"
#include "stash/fleet/live/provider_setup.h"

namespace stash {

// Machines that are `stash serve` processes here, with emulated accelerators that take the times of the market's types,
// behind HAProxy. A machine takes the start time of its type before it gets requests. All processes outlive us; they
// are found again by what is in machines.json and their start, never by name.
class LocalProvider final : public FleetProvider {
 public:
  // Error where HAProxy is missing or the port is taken.
  explicit LocalProvider(ProviderSetup setup);

  std::string address() const override;
  std::vector<LiveMachine> look() override;
  void start(int type, bool spot, int count) override;
  void stop(int type, bool spot, int count) override;
  void read_load(LoadBook& book, double now_s) override;
  void end(bool keeps_machines) override;

 private:
  std::filesystem::path folder_of(const LocalMachine& machine) const;
  void start_proxy();
  void keep_proxy();
  void write_proxy_config();
  void start_machine(int type, bool spot);
  void advance(LocalMachine& machine, std::int64_t now);
  bool is_lost(const LocalMachine& machine, std::int64_t now) const;
  void drain(LocalMachine& machine);
  std::vector<ProxyServer> wanted_servers() const;
  int weight_of(const LocalMachine& machine) const;
  std::optional<double> busy_s(const LocalMachine& machine) const;
  void kill_machine(const LocalMachine& machine) const;
  std::vector<ProcessIdentity> all_processes() const;
  void save();

  ProviderSetup setup_;
  LocalState state_;
  ProxySocket proxy_;
  RequestLog log_;
  std::mt19937_64 random_;
  std::vector<int> weights_;  // by type
  std::string config_text_;   // as written last
  std::string saved_text_;
  std::map<std::string, ProxyServerState> seen_;      // by the proxy, at the last look
  std::map<std::string, std::int64_t> unwell_since_;  // machines that the proxy sends nothing to
};

}  // namespace stash
