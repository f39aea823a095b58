#include "stash/cli/flags/seat_flags.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/launch/pool/pool_socket.h"

namespace stash {
namespace {

constexpr int kMostWorkersOfSeat = 1024;

}  // namespace

void SocketFlag::add_to(CLI::App& app) {
  app.add_option("--socket", given_, "Socket of the pool; default: one of yours in $XDG_RUNTIME_DIR or /tmp")
      ->type_name("PATH");
}

std::string SocketFlag::get() const {
  return given_.empty() ? default_pool_socket().string() : std::filesystem::absolute(given_).string();
}

void SeatFlags::add_to(CLI::App& app) {
  socket_.add_to(app);
  app.add_option("--name", name_, "Name of the job in the pool; default: that of its model or script")
      ->type_name("NAME");
  app.add_option("--min-workers", min_workers_, "Workers that each rank keeps")->type_name("N")->capture_default_str();
  app.add_option("--max-workers", max_workers_,
                 "Workers that are started for each rank; default: the cores of the pool, over the job's ranks here")
      ->type_name("N");
}

void SeatFlags::add_samples(CLI::App& app) {
  app.add_option("--samples", samples_,
                 "With --share: samples that the script loads until it ends, over all its ranks, for a pool with "
                 "--objective makespan")
      ->type_name("N");
}

PoolSeat SeatFlags::resolve(const std::string& default_name) const {
  if (min_workers_ < 1 || min_workers_ > kMostWorkersOfSeat) {
    throw UsageError(
        fmt::format("--min-workers {} is out of range: it takes 1 to {}", min_workers_, kMostWorkersOfSeat));
  }
  if (max_workers_ && (*max_workers_ < min_workers_ || *max_workers_ > kMostWorkersOfSeat)) {
    throw UsageError(fmt::format("--max-workers {} is out of range: it takes --min-workers ({}) to {}", *max_workers_,
                                 min_workers_, kMostWorkersOfSeat));
  }
  if (samples_ && (!(*samples_ >= 1) || !std::isfinite(*samples_))) {
    throw UsageError("--samples takes a number from 1");
  }
  PoolSeat seat{.socket = socket_.get(),
                .name = name_.empty() ? default_name : name_,
                .job = {},
                .min_workers = min_workers_,
                .max_workers = max_workers_,
                .samples = samples_};
  seat.job = fmt::format("{}-{}", ::getpid(), now_ns());
  return seat;
}

}  // namespace stash
