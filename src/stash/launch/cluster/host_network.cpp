#include "stash/launch/cluster/host_network.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>
#include <string_view>

#include "stash/core/error.h"
#include "stash/launch/process/subprocess.h"

namespace stash {
namespace {

constexpr double kScontrolDeadline_s = 10;

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses look_up(const std::string& host, int flags, int& error) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  error = getaddrinfo(host.c_str(), "9", &hints, &found);  // port 9 is never talked to
  return {error == 0 ? found : nullptr, freeaddrinfo};
}

std::string numeric(const sockaddr* address) {
  std::array<char, NI_MAXHOST> text{};
  const socklen_t length = address->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  const int error = getnameinfo(address, length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  return error == 0 ? text.data() : "";
}

// Names of Slurm's nodes need not be names of hosts.
std::string address_in_slurm(const std::string& node) {
  if (!find_program("scontrol")) return "";
  const CommandResult shown =
      run_command({.arguments = {"scontrol", "--oneliner", "show", "node", node}, .deadline_s = kScontrolDeadline_s});
  constexpr std::string_view kField = "NodeAddr=";
  const std::size_t start = shown.output.find(kField);
  if (!shown.succeeded() || start == std::string::npos) return "";
  const std::size_t value = start + kField.size();
  return shown.output.substr(value, shown.output.find_first_of(" \n", value) - value);
}

// The own address that the kernel would send from.
std::string address_towards(const addrinfo& target) {
  const int fd = socket(target.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return "";
  sockaddr_storage own{};
  socklen_t length = sizeof(own);
  const bool known = connect(fd, target.ai_addr, target.ai_addrlen) == 0 &&
                     getsockname(fd, reinterpret_cast<sockaddr*>(&own), &length) == 0;
  close(fd);
  return known ? numeric(reinterpret_cast<const sockaddr*>(&own)) : "";
}

}  // namespace

std::string resolve_host(const std::string& host) {
  int error = 0;
  Addresses found = look_up(host, AI_ADDRCONFIG, error);
  if (!found) found = look_up(host, 0, error);
  if (found) return numeric(found->ai_addr);
  if (const std::string address = address_in_slurm(host); !address.empty()) return address;
  throw Error(
      fmt::format("the host of rank 0, '{}', has no address that this host knows ({}): set MASTER_ADDR to one "
                  "that all hosts reach",
                  host, gai_strerror(error)));
}

std::optional<std::string> interface_towards(const std::string& address) {
  int error = 0;
  const Addresses target = look_up(address, AI_NUMERICHOST, error);
  const std::string own = target ? address_towards(*target) : "";
  if (own.empty()) return std::nullopt;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return std::nullopt;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, freeifaddrs);
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    const bool has_address =
        entry->ifa_addr != nullptr && (entry->ifa_addr->sa_family == AF_INET || entry->ifa_addr->sa_family == AF_INET6);
    if (has_address && numeric(entry->ifa_addr) == own) return entry->ifa_name;
  }
  return std::nullopt;
}

}  // namespace stash
