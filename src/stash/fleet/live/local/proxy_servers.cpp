#include "stash/fleet/live/local/proxy_servers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/fleet/market/capacity.h"

namespace stash {
namespace {

constexpr double kFullWeight = 100;  // of the type that takes most; HAProxy knows up to 256

std::string path_of(const std::string& name) { return fmt::format("{}/{}", kProxyServers, name); }

void enable(const ProxySocket& proxy, const std::string& path) {
  proxy.order("enable health " + path);
  proxy.order("enable server " + path);
}

void sync_server(const ProxySocket& proxy, const std::map<std::string, ProxyServerState>& seen,
                 const ProxyServer& server) {
  const std::string path = path_of(server.name);
  const auto state = seen.find(server.name);
  if (state == seen.end()) {
    proxy.order(fmt::format("add server {} {}", path, proxy_server_words(server)), "registered");
    enable(proxy, path);
  } else if (state->second.weight != server.weight) {
    proxy.order(fmt::format("set server {} weight {}", path, server.weight));
  } else if (state->second.status.starts_with("MAINT")) {
    enable(proxy, path);
  }
}

}  // namespace

void sync_proxy_servers(const ProxySocket& proxy, const std::map<std::string, ProxyServerState>& seen,
                        std::span<const ProxyServer> wanted) {
  for (const ProxyServer& server : wanted) sync_server(proxy, seen, server);
  // Requests that a machine that is gone still has end first: one that cannot be deleted yet is tried again.
  for (const auto& [name, state] : seen) {
    if (std::ranges::find(wanted, name, &ProxyServer::name) != wanted.end()) continue;
    if (!state.status.starts_with("MAINT")) proxy.order(fmt::format("set server {} state maint", path_of(name)));
    proxy.ask("del server " + path_of(name));
  }
}

std::vector<int> proxy_weights(const Market& market, const FleetObjective& objective) {
  std::vector<double> per_s;
  double most = 0;
  for (const MachineType& type : market.machines) {
    const auto capacity = capacity_of(type, objective);
    per_s.push_back(capacity ? capacity->per_s / std::max(type.devices, 1) : 0);
    most = std::max(most, per_s.back());
  }
  std::vector<int> weights;
  for (const double one : per_s) {
    const double weight = most > 0 ? std::round(kFullWeight * one / most) : 1;
    weights.push_back(static_cast<int>(std::max(weight, 1.0)));
  }
  return weights;
}

}  // namespace stash
