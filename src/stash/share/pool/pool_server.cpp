#include "stash/share/pool/pool_server.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <memory>
#include <system_error>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/launch/process/affinity.h"
#include "stash/launch/process/cpu_limit.h"
#include "stash/launch/process/line_channel.h"
#include "stash/share/pool/machine_load.h"

namespace stash {
namespace {

constexpr double kLoadInterval_s = 10;
constexpr std::size_t kMostConnections = 4200;  // more than a pool has members, so that somebody can ask for its state
constexpr std::size_t kMostUnsent = 64u << 20;

double own_cpu_s() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto of = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return of(used.ru_utime) + of(used.ru_stime);
}

}  // namespace

struct PoolServer::Impl {
  struct PoolConnection {
    explicit PoolConnection(int connected) : fd(connected), reader(connected, kMostPoolLine) {}
    Fd fd;
    LineReader reader;
    std::string unsent;
    bool has_left = false;
    bool is_broken = false;
  };

  Impl(const PoolListener& listening, const PoolServerOptions& given)
      : listener(listening), options(given), cores(allowed_cores()), usable(usable_cores()), book(pool_options()) {}

  PoolOptions pool_options() const {
    PoolOptions pool = options.pool;
    pool.workers = workers_on(options.cores);
    return pool;
  }
  int workers_on(int count) const {
    return std::clamp(static_cast<int>(std::lround(count * options.workers_per_core)), 1, kMostSharedCores);
  }
  double now_s() const { return seconds(now_ns() - start_ns); }

  void send(int id, const std::string& text) {
    const auto found = connections.find(id);
    if (found == connections.end()) return;
    found->second->unsent += text;
    flush(*found->second);
  }

  static void flush(PoolConnection& one) {
    while (!one.unsent.empty()) {
      const ssize_t sent = ::send(one.fd.get(), one.unsent.data(), one.unsent.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
      if (sent <= 0) {
        one.is_broken = true;
        return;
      }
      one.unsent.erase(0, static_cast<std::size_t>(sent));
    }
    if (one.unsent.size() > kMostUnsent) one.is_broken = true;  // it does not read
  }

  void send_outbox() {
    for (const auto& [id, reply] : book.take_outbox()) send(id, to_line(reply));
  }

  void take(int id, std::string_view line) {
    PoolConnection& one = *connections.at(id);
    if (one.is_broken) return;
    try {
      const PoolRequest request = request_from_line(line);
      if (const auto* join = std::get_if<JoinMessage>(&request)) book.join(id, *join, now_s());
      if (const auto* report = std::get_if<ReportMessage>(&request)) book.report(id, *report, now_s());
      if (std::holds_alternative<LeaveMessage>(request)) one.has_left = true;
      if (std::holds_alternative<StatusMessage>(request)) send(id, to_line(full_state()));
    } catch (const Error& error) {
      send(id, to_line(PoolReply{RefusedMessage{error.what()}}));
      one.is_broken = true;
    }
  }

  PoolState full_state() const {
    PoolState state = book.state(now_s());
    state.pid = static_cast<int>(getpid());
    state.cores = options.cores;
    state.other_load_cores = load.other_cores();
    state.cpu_s = own_cpu_s() - start_cpu_s;
    return state;
  }

  void accept_all() {
    for (int fd = listener.accept(); fd >= 0; fd = listener.accept()) {
      if (connections.size() >= kMostConnections) {
        ::close(fd);
        continue;
      }
      connections.emplace(next_id++, std::make_unique<PoolConnection>(fd));
    }
  }

  void drop_broken() {
    for (auto it = connections.begin(); it != connections.end();) {
      PoolConnection& one = *it->second;
      if (!one.is_broken && !(one.has_left && one.unsent.empty())) {
        ++it;
        continue;
      }
      book.leave(it->first, !one.has_left, now_s());
      it = connections.erase(it);
    }
  }

  void look_at_load() {
    if (!options.counts_load || now_s() < next_load_s) return;
    next_load_s = now_s() + kLoadInterval_s;
    if (book.is_empty()) return;
    const std::optional<double> busy = busy_core_s(cores);
    if (!busy) return;
    load.add(now_s(), *busy, book.managed_cpu_s() + own_cpu_s());
    if (!load.other_cores()) return;
    held_cores = cores_beside(*load.other_cores(), options.cores, usable, held_cores);
    book.set_workers(workers_on(held_cores), now_s());
  }

  const PoolListener& listener;
  PoolServerOptions options;
  std::vector<int> cores;
  int usable;
  int held_cores = options.cores;
  std::int64_t start_ns = now_ns();
  double start_cpu_s = own_cpu_s();
  double next_load_s = 0;
  MachineLoad load;
  PoolBook book;
  int next_id = 1;
  std::map<int, std::unique_ptr<PoolConnection>> connections;
};

PoolServer::PoolServer(const PoolListener& listener, const PoolServerOptions& options)
    : impl_(std::make_unique<Impl>(listener, options)) {}
PoolServer::~PoolServer() = default;

PoolState PoolServer::state() const { return impl_->full_state(); }

void PoolServer::serve(int stop_fd, std::optional<double> most_s) {
  Impl& own = *impl_;
  const double end_s = most_s ? own.now_s() + *most_s : kAllStorage;
  while (own.now_s() < end_s) {
    std::vector<pollfd> polled{{stop_fd, POLLIN, 0}, {own.listener.fd(), POLLIN, 0}};
    std::vector<int> ids;
    for (const auto& [id, one] : own.connections) {
      const short wanted = static_cast<short>(one->unsent.empty() ? POLLIN : POLLIN | POLLOUT);
      polled.push_back({one->fd.get(), wanted, 0});
      ids.push_back(id);
    }
    const double until_s = std::min(own.book.next_tick_s(own.now_s()), end_s);
    const int wait_ms = static_cast<int>(std::ceil(std::max(until_s - own.now_s(), 0.0) * 1000));
    if (::poll(polled.data(), polled.size(), wait_ms) < 0 && errno != EINTR) {
      throw Error(fmt::format("cannot wait for jobs: {}", std::generic_category().message(errno)));
    }
    if (polled[0].revents != 0) return;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      Impl::PoolConnection& one = *own.connections.at(ids[i]);
      if ((polled[i + 2].revents & POLLOUT) != 0) Impl::flush(one);
      if ((polled[i + 2].revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
      if (!one.reader.read_lines([&](std::string_view line) { own.take(ids[i], line); })) one.is_broken = true;
    }
    if (polled[1].revents != 0) own.accept_all();
    own.drop_broken();
    own.look_at_load();
    own.book.tick(own.now_s());
    own.send_outbox();
    own.drop_broken();
    own.send_outbox();
  }
}

}  // namespace stash
