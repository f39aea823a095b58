#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "stash/launch/process/line_channel.h"

namespace stash {

// A connection to another process of the launch, over which lines go both ways. An empty line is a sign of life.
class Peer {
 public:
  explicit Peer(int socket);  // non-blocking; owned from now on
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  int fd() const { return reader_.fd(); }
  void send(std::string_view line);       // without line break; may be called from any thread
  void hear();                            // reads what has come; does not wait
  std::optional<std::string> take();      // the next whole line that has come; does not wait
  bool is_gone() const { return gone_; }  // it closed its end or takes nothing any more
  double silent_s() const;                // since its last line, as far as was heard
  // No line goes out any more. Waits until it has taken what was sent and closed its end, for `s` at most.
  void part(double s);

 private:
  LineReader reader_;
  std::mutex sending_;
  std::atomic<bool> gone_ = false;
  std::deque<std::string> lines_;
  std::int64_t heard_ns_;
};

// Waits until one of the descriptors can be read, for a moment at most.
void wait_for_peers(const std::vector<int>& fds);

// Gives peers a sign of life every second, whatever else this process is busy with.
class Heart {
 public:
  Heart();
  ~Heart();
  Heart(const Heart&) = delete;
  Heart& operator=(const Heart&) = delete;

  void add(Peer* peer);  // lives longer than this object

 private:
  void run(const std::stop_token& stop);

  std::mutex mutex_;
  std::vector<Peer*> peers_;
  std::jthread thread_;
};

}  // namespace stash
