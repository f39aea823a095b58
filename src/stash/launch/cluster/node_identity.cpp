#include "stash/launch/cluster/node_identity.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include <fstream>

namespace stash {
namespace {

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

// Containers and namespaces of one machine reach each other over a network as machines do.
std::string network_namespace() {
  struct stat status{};
  return stat("/proc/self/ns/net", &status) == 0 ? fmt::format("{}:{}", status.st_dev, status.st_ino) : "";
}

}  // namespace

NodeIdentity node_identity(const std::string& given_name) {
  utsname names{};
  uname(&names);
  const std::string host = names.nodename;
  if (!given_name.empty()) return {given_name, given_name};
  return {host, fmt::format("{} {} {}", boot_id(), host, network_namespace())};
}

}  // namespace stash
