#include "stash/fleet/live/local/proxy_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <sstream>
#include <vector>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/words.h"
#include "stash/fleet/live/local/folder_socket.h"
#include "stash/fleet/live/local/proxy_config.h"
#include "stash/launch/process/child.h"

namespace stash {
namespace {

constexpr double kAnswer_proxy_s = 2;
constexpr std::size_t kMostAnswer = 16 << 20;

int whole_number(const std::string& text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);  // an empty cell stands for 0
  return value;
}

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text.substr(std::min(text.find_first_not_of(" \n"), text.size()));
}

}  // namespace

std::string ProxySocket::ask(const std::string& command) const {
  const std::int64_t deadline_ns = now_ns() + nanoseconds(kAnswer_proxy_s);
  const Fd socket = connect_in_folder(folder_, kProxySocket, deadline_ns);
  const std::string line = command + "\n";
  if (::send(socket.get(), line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size())) {
    throw Error(fmt::format("the proxy took no command: {}", std::strerror(errno)));
  }
  std::string answer;
  std::array<char, 16384> buffer;
  while (true) {
    const std::int64_t left_ms = (deadline_ns - now_ns()) / 1'000'000;
    pollfd one{.fd = socket.get(), .events = POLLIN, .revents = 0};
    if (left_ms <= 0 || ::poll(&one, 1, static_cast<int>(left_ms)) == 0) {
      throw Error(fmt::format("the proxy did not answer '{}' within {} s", command, kAnswer_proxy_s));
    }
    const ssize_t count = ::recv(socket.get(), buffer.data(), buffer.size(), 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (count < 0) throw Error(fmt::format("the proxy broke off its answer: {}", std::strerror(errno)));
    if (count == 0) return answer;
    answer.append(buffer.data(), static_cast<std::size_t>(count));
    if (answer.size() > kMostAnswer) throw Error("the proxy's answer does not end");
  }
}

void ProxySocket::order(const std::string& command, const std::string& good) const {
  const std::string said = trimmed(ask(command));
  if (said.empty() || (!good.empty() && said.find(good) != std::string::npos)) return;
  throw Error(fmt::format("the proxy refused '{}': {}", command, said));
}

std::map<std::string, ProxyServerState> ProxySocket::servers() const {
  return read_proxy_servers(ask(fmt::format("show stat {} 4 -1", kProxyServers)));
}

std::map<std::string, ProxyServerState> read_proxy_servers(const std::string& csv) {
  std::istringstream lines(csv);
  std::string line;
  std::map<std::string, std::size_t> columns;
  std::map<std::string, ProxyServerState> found;
  while (std::getline(lines, line)) {
    const std::vector<std::string> cells = split_list_strictly(line);
    if (line.starts_with("# ")) {
      for (std::size_t i = 0; i < cells.size(); ++i) columns[i == 0 ? cells[i].substr(2) : cells[i]] = i;
      for (const char* const name : {"pxname", "svname", "qcur", "scur", "status", "weight"}) {
        if (!columns.contains(name)) throw Error(fmt::format("the proxy's table of servers has no column {}", name));
      }
      continue;
    }
    if (columns.empty() || cells.size() <= columns.at("weight")) continue;
    if (cells[columns.at("pxname")] != kProxyServers) continue;
    const std::string& name = cells[columns.at("svname")];
    if (name == "BACKEND" || name == "FRONTEND") continue;
    found[name] = {.status = cells[columns.at("status")],
                   .sessions = whole_number(cells[columns.at("scur")]),
                   .queued = whole_number(cells[columns.at("qcur")]),
                   .weight = whole_number(cells[columns.at("weight")])};
  }
  if (columns.empty()) throw Error("the proxy's answer is no table of servers");
  return found;
}

}  // namespace stash
