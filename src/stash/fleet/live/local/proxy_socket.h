#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace stash {

// A server as the proxy has it.
struct ProxyServerState {
  std::string status;  // "UP", "DOWN", "DRAIN", "MAINT", with more behind it
  int sessions = 0;    // requests that it works on
  int queued = 0;
  int weight = 0;

  bool is_up() const { return status.starts_with("UP"); }
};

// The runtime commands of HAProxy.
class ProxySocket {
 public:
  explicit ProxySocket(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // The answer. Error where the proxy does not answer within two seconds.
  std::string ask(const std::string& command) const;
  // A command that says nothing when it worked, or something that contains `good`; an Error has what else it said.
  void order(const std::string& command, const std::string& good = "") const;

  std::map<std::string, ProxyServerState> servers() const;

 private:
  std::filesystem::path folder_;
};

// The rows of `show stat` that are servers of the fleet. Error where it is no such table.
std::map<std::string, ProxyServerState> read_proxy_servers(const std::string& csv);

}  // namespace stash
