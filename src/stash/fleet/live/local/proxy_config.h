#pragma once

#include <string>
#include <vector>

namespace stash {

// A server behind the proxy, on 127.0.0.1.
struct ProxyServer {
  std::string name;
  int port = 0;
  int weight = 1;  // 0: no new requests
};

struct ProxyConfig {
  int port = 0;  // where requests come in, on 127.0.0.1
  int most_connections = 10'000;
  std::vector<ProxyServer> servers{};
};

inline constexpr const char* kProxySocket = "haproxy.sock";     // for commands, in the fleet's folder
inline constexpr const char* kRequestSocket = "requests.sock";  // where the proxy tells of each request
inline constexpr const char* kProxyServers = "fleet";           // the name of the backend

// The words of a server's line, in the file and in the command that adds it.
std::string proxy_server_words(const ProxyServer& server);

// The file for HAProxy 2.6 or newer. It names sockets by their place in the fleet's folder: start it with -C.
std::string proxy_config_text(const ProxyConfig& config);

}  // namespace stash
