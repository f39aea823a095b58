#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "stash/fleet/live/load_book.h"
#include "stash/launch/process/child.h"

namespace stash {

// What the proxy tells of one request when it has ended.
struct ToldRequest {
  std::int64_t ended_ms = 0;  // of the calendar, since 1970
  double latency_s = 0;       // in the proxy, from its first byte to the last one of the answer
  RequestEnd end = RequestEnd::served;
};

// nullopt: a line of something else, or a request that the client got wrong.
std::optional<ToldRequest> read_told_request(std::string_view line, double objective_s);

// Takes whole messages (a length, a space, that many bytes) from the front of `bytes`. False: these are no messages.
bool take_messages(std::string& bytes, const std::function<void(std::string_view)>& on_message);

// Listens to the proxy.
class RequestLog {
 public:
  RequestLog(const std::filesystem::path& folder, double objective_s);

  // All that was told since the last call.
  void read(const std::function<void(const ToldRequest&)>& on_request);

 private:
  bool read_stream(Fd& fd, std::string& bytes, const std::function<void(const ToldRequest&)>& on_request) const;

  Fd listener_;
  double objective_s_;
  std::list<std::pair<Fd, std::string>> streams_{};
};

}  // namespace stash
