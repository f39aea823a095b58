#pragma once

#include <csignal>

namespace stash {

// Takes Ctrl-C, SIGTERM and SIGHUP away from their usual effect while it lives; they are asked for instead. May be
// nested: whoever asks first gets the signal.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int fd() const { return fd_; }  // readable when one has come
  bool take();                    // true: one had come

 private:
  int fd_;
  sigset_t before_;
};

}  // namespace stash
