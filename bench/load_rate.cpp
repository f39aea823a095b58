// How many requests per second `stash load` sends, against a responder that only counts bytes: both on this machine.
//
//   load_rate [--rate 200000] [--for 5s] [--connections 64] [--in-flight 64]
//
// The responder is one thread, the client another, so two cores are enough. A request asks a model for one sample of 16
// numbers, as bytes. Prints what was planned, sent in time and answered, and how late the client was.

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <exception>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "stash/core/clock.h"
#include "stash/core/cpu_clock.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/serve/load/load_request.h"
#include "stash/serve/load/load_summary.h"
#include "stash/serve/load/run_load.h"

namespace {

constexpr std::string_view kMetadata =
    R"({"name":"m","inputs":[{"name":"input","datatype":"FP32","shape":[-1,16]}],"outputs":[]})";
constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

// Answers every `request_bytes` that a connection has sent.
class EmptyResponder {
 public:
  EmptyResponder()
      : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), stop_(eventfd(0, 0)), epoll_(epoll_create1(0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener_, 4096) != 0 ||
        getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      throw stash::Error("cannot listen on 127.0.0.1");
    }
    port_ = ntohs(address.sin_port);
    watch(stop_);
    watch(listener_);
    for (std::size_t i = 0; i < kMostAtOnce; ++i) answers_ += kAnswer;
  }
  ~EmptyResponder() {
    eventfd_write(stop_, 1);
    if (thread_.joinable()) thread_.join();
  }
  EmptyResponder(const EmptyResponder&) = delete;
  EmptyResponder& operator=(const EmptyResponder&) = delete;

  int port() const { return port_; }
  void start(std::size_t request_bytes) {
    request_bytes_ = request_bytes;
    thread_ = std::thread([this] { serve(); });
  }

 private:
  static constexpr std::size_t kMostAtOnce = 4096;

  void watch(int fd) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
  }

  void serve() {
    std::vector<char> buffer(256 * 1024);
    std::array<epoll_event, 256> events;
    for (;;) {
      const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
      for (int i = 0; i < count; ++i) {
        const int fd = events[static_cast<std::size_t>(i)].data.fd;
        if (fd == stop_) return;
        if (fd == listener_) {
          watch(accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC));
        } else {
          answer(fd, buffer);
        }
      }
    }
  }

  void answer(int fd, std::vector<char>& buffer) {
    const ssize_t got = recv(fd, buffer.data(), buffer.size(), 0);
    if (got <= 0) {
      close(fd);
      return;
    }
    std::size_t& bytes = bytes_[fd] += static_cast<std::size_t>(got);
    std::size_t requests = bytes / request_bytes_;
    bytes %= request_bytes_;
    while (requests > 0) {
      const std::size_t now = std::min(requests, kMostAtOnce);
      if (send(fd, answers_.data(), now * kAnswer.size(), MSG_NOSIGNAL) < 0) return;
      requests -= now;
    }
  }

  int listener_, stop_, epoll_;
  int port_ = 0;
  std::size_t request_bytes_ = 1;
  std::string answers_;
  std::unordered_map<int, std::size_t> bytes_;
  std::thread thread_;
};

struct RateOptions {
  double rate_per_s = 200'000;
  std::string duration = "5s";
  stash::LoadOptions load{.connections = 64, .in_flight = 64};
};

void measure(const RateOptions& options) {
  EmptyResponder responder;
  const stash::LoadTarget target = stash::parse_load_target(fmt::format("127.0.0.1:{}/m", responder.port()));
  const std::string request = stash::infer_request(target, kMetadata, stash::TensorForm::binary, 1);
  responder.start(request.size());
  const stash::ArrivalPlan plan = stash::plan_arrivals(
      options.rate_per_s, stash::parse_duration_s(options.duration, "--for"), stash::Spacing::poisson, 1);
  const double cpu_before_s = stash::seconds(stash::thread_cpu_ns());
  const stash::LoadRun run = stash::run_load(target, request, plan, options.load);
  const double cpu_s = stash::seconds(stash::thread_cpu_ns()) - cpu_before_s;
  const stash::LoadSummary found = stash::summarize_load(run.requests, std::nullopt);
  fmt::print("{} requests of {} bytes at {:.0f} per second over {} connections, {} in flight on each\n", plan.size(),
             request.size(), options.rate_per_s, options.load.connections, options.load.in_flight);
  fmt::print("answered {} ({} failed), {:.0f} per second\n", found.answered, found.failed, found.throughput_per_s);
  if (found.p99) {
    fmt::print("latency p50 {}, p99 {}; the client was late by {} at p99; its core was busy for {:.0f} % of the time\n",
               stash::format_duration(found.p50->s), stash::format_duration(found.p99->s),
               stash::format_duration(found.client_late_s), 100 * cpu_s / found.duration_s);
  }
  const std::string why = stash::why_rejected(found);
  fmt::print("{}\n", why.empty() ? "the run counts" : "the run is rejected: " + why);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("How many requests per second stash load sends against an empty responder");
  RateOptions options;
  app.add_option("--rate", options.rate_per_s, "requests per second")->capture_default_str();
  app.add_option("--for", options.duration, "how long")->capture_default_str();
  app.add_option("--connections", options.load.connections, "connections")->capture_default_str();
  app.add_option("--in-flight", options.load.in_flight, "requests that wait on one connection")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    measure(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "load_rate: {}\n", error.what());
    return 1;
  }
  return 0;
}
