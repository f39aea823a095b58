#include "stash/fleet/live/local/proxy_config.h"

#include <fmt/format.h>

namespace stash {

std::string proxy_server_words(const ProxyServer& server) {
  return fmt::format("127.0.0.1:{} weight {} check inter 500ms fall 2 rise 1", server.port, server.weight);
}

// - Requests go to machines by weight, each request anew. A connection to a machine carries one request: one that is
//   closed at the wrong moment by a machine that ends could lose another.
// - What could not be connected, was refused because it would be late, or was not answered at all because the machine
//   died, is sent to another machine: inference has no effect that a second one could double. The last two only if the
//   request fits into the proxy's buffer, 16 kB.
// - With a reload, idle connections take one more request before they are closed: none is lost on its way.
// - The proxy keeps what it has to tell of requests while nobody listens, and tells it to the next controller.
std::string proxy_config_text(const ProxyConfig& config) {
  std::string text =
      fmt::format(R"(# Written by stash fleet run, with every change of the fleet. Changes here are lost.
global
  stats socket unix@{} mode 600 level admin expose-fd listeners
  stats timeout 10s
  maxconn {}
  nbthread 1
  hard-stop-after 60s

defaults
  mode http
  option http-server-close
  option idle-close-on-response
  option dontlognull
  option redispatch 1
  retries 2
  retry-on conn-failure empty-response 503
  timeout connect 1s
  timeout client 60s
  timeout server 60s
  timeout http-request 30s

ring requests
  format raw
  maxlen 256
  size 4194304
  timeout connect 1s
  timeout server 10s
  server controller unix@{} log-proto octet-count

frontend requests
  bind 127.0.0.1:{}
  log ring@requests format raw local0
  log-format "%[date(0,ms)] %Ta %ST %tsc"
  http-request set-log-level silent unless METH_POST
  default_backend {}

backend {}
  balance roundrobin
  option httpchk GET /v2/health/ready
)",
                  kProxySocket, config.most_connections, kRequestSocket, config.port, kProxyServers, kProxyServers);
  for (const ProxyServer& server : config.servers) {
    text += fmt::format("  server {} {}\n", server.name, proxy_server_words(server));
  }
  return text;
}

}  // namespace stash
