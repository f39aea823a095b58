#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "stash/fleet/live/local/proxy_config.h"
#include "stash/fleet/live/local/proxy_socket.h"
#include "stash/fleet/market/market.h"

namespace stash {

// Brings the servers of the running proxy, as they were `seen`, to those that are wanted: after a reload, and after a
// controller was killed half-way, they may not be. Others are deleted as soon as they have no requests.
void sync_proxy_servers(const ProxySocket& proxy, const std::map<std::string, ProxyServerState>& seen,
                        std::span<const ProxyServer> wanted);

// Of requests for one device of each type: by what it takes in time.
std::vector<int> proxy_weights(const Market& market, const FleetObjective& objective);

}  // namespace stash
