#include "stash/fleet/live/local/request_log.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <charconv>

#include "stash/fleet/live/local/folder_socket.h"
#include "stash/fleet/live/local/proxy_config.h"

namespace stash {
namespace {

constexpr std::size_t kLongestMessage = 4096;
constexpr std::size_t kMostStreams = 16;  // a proxy and its predecessors that are still ending

template <class Number>
bool take_number(std::string_view& text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return true;
}

}  // namespace

std::optional<ToldRequest> read_told_request(std::string_view line, double objective_s) {
  ToldRequest told;
  std::int64_t latency_ms = 0;
  int status = 0;
  if (!take_number(line, told.ended_ms) || !take_number(line, latency_ms) || !take_number(line, status)) {
    return std::nullopt;
  }
  if (latency_ms < 0 || line.size() < 2) return std::nullopt;
  told.latency_s = static_cast<double>(latency_ms) * 1e-3;
  const bool is_refused = status == 503 || status == 429;
  const bool is_client_gone = line.front() == 'C' || line.front() == 'c';
  if (is_refused) {
    told.end = RequestEnd::refused;
  } else if (is_client_gone) {
    // A client that waited as long as it was promised, and left.
    if (told.latency_s <= objective_s) return std::nullopt;
    told.end = RequestEnd::failed;
  } else if (status >= 400 && status < 500) {
    return std::nullopt;
  } else if (status < 200 || status >= 300 || line.front() != '-') {
    told.end = RequestEnd::failed;
  } else {
    told.end = told.latency_s > objective_s ? RequestEnd::late : RequestEnd::served;
  }
  return told;
}

bool take_messages(std::string& bytes, const std::function<void(std::string_view)>& on_message) {
  std::string_view rest = bytes;
  while (!rest.empty()) {
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    if (error != std::errc() || size > kLongestMessage) return false;
    const auto head = static_cast<std::size_t>(end - rest.data());
    if (head == rest.size()) break;
    if (rest[head] != ' ') return false;
    if (rest.size() < head + 1 + size) break;
    on_message(rest.substr(head + 1, size));
    rest.remove_prefix(head + 1 + size);
  }
  bytes = std::string(rest);
  return true;
}

RequestLog::RequestLog(const std::filesystem::path& folder, double objective_s)
    : listener_(listen_in_folder(folder, kRequestSocket).release()), objective_s_(objective_s) {}

void RequestLog::read(const std::function<void(const ToldRequest&)>& on_request) {
  while (true) {
    const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) break;
    if (streams_.size() >= kMostStreams) streams_.pop_front();
    streams_.emplace_back(std::piecewise_construct, std::forward_as_tuple(fd), std::forward_as_tuple());
  }
  for (auto stream = streams_.begin(); stream != streams_.end();) {
    stream = read_stream(stream->first, stream->second, on_request) ? std::next(stream) : streams_.erase(stream);
  }
}

// False: it has ended, or is not the proxy's.
bool RequestLog::read_stream(Fd& fd, std::string& bytes,
                             const std::function<void(const ToldRequest&)>& on_request) const {
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t count = ::recv(fd.get(), buffer.data(), buffer.size(), 0);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0) return false;
    bytes.append(buffer.data(), static_cast<std::size_t>(count));
    const bool is_right = take_messages(bytes, [&](std::string_view line) {
      if (const auto told = read_told_request(line, objective_s_)) on_request(*told);
    });
    if (!is_right) return false;
  }
}

}  // namespace stash
