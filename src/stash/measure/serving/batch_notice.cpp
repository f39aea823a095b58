#include "stash/measure/serving/batch_notice.h"

#include <sys/eventfd.h>

#include <limits>

#include "stash/core/clock.h"

namespace stash {
namespace {

constexpr std::int64_t kAskAgain_ns = 50'000;
constexpr std::uint64_t kNoMore = std::numeric_limits<std::uint64_t>::max();

}  // namespace

BatchNotifier::BatchNotifier(int done_fd) : done_fd_(done_fd), thread_([this] { wait_for_ends(); }) {}

BatchNotifier::~BatchNotifier() {
  expected_.store(kNoMore);
  expected_.notify_one();
  thread_.join();
}

void BatchNotifier::expect(std::uint64_t batch, BatchNotice way) {
  if (way == BatchNotice::event) return;
  way_.store(way);
  expected_.store(batch);
  expected_.notify_one();
}

void BatchNotifier::ended(std::uint64_t batch, BatchNotice way) {
  if (way == BatchNotice::event) {
    eventfd_write(done_fd_, 1);
    return;
  }
  ended_.store(batch);
  if (way == BatchNotice::blocking) ended_.notify_one();
}

void BatchNotifier::wait_for_ends() {
  use_precise_sleep();
  std::uint64_t before = 0;
  while (true) {
    expected_.wait(before);
    const std::uint64_t batch = expected_.load();
    if (batch == kNoMore) return;
    before = batch;
    const BatchNotice way = way_.load();
    for (std::uint64_t seen = ended_.load(); seen != batch && expected_.load() == batch; seen = ended_.load()) {
      if (way == BatchNotice::blocking) ended_.wait(seen);
      if (way == BatchNotice::polling) sleep_until_ns(now_ns() + kAskAgain_ns);
    }
    eventfd_write(done_fd_, 1);
  }
}

}  // namespace stash
