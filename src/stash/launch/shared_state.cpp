#include "stash/launch/shared_state.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <new>
#include <utility>

#include "stash/core/clock.h"
#include "stash/core/error.h"

namespace stash {

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::starting:
      return "starting";
    case Phase::working:
      return "working";
    case Phase::collective:
      return "in a collective";
    case Phase::waiting:
      return "waiting for the other ranks";
    case Phase::done:
      return "done";
  }
  return "unknown";
}

void RankState::beat(Phase now_in) {
  phase.store(now_in, std::memory_order_relaxed);
  beat_ns.store(now_ns(), std::memory_order_relaxed);
}

struct alignas(64) SharedState::Header {
  std::atomic<std::uint32_t> stop{0};
  std::atomic<std::uint32_t> order{1};
  alignas(64) std::atomic<std::uint32_t> arrived{0};  // at the meeting that is under way
  std::atomic<std::uint32_t> meetings{0};             // that are over
};

namespace {

// std::atomic waits within one process only.
void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, nullptr, nullptr, 0);
}

}  // namespace

std::size_t SharedState::bytes(int ranks) {
  return sizeof(Header) + sizeof(RankState) * static_cast<std::size_t>(ranks);
}

SharedState SharedState::map(int fd, int ranks) {
  const int flags = fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  void* memory = mmap(nullptr, bytes(ranks), PROT_READ | PROT_WRITE, flags, fd, 0);
  if (memory == MAP_FAILED)
    throw Error(fmt::format("cannot map the page shared with the ranks: {}", std::strerror(errno)));
  return SharedState(fd, memory, ranks);
}

SharedState SharedState::create(int ranks) {
  const int fd = memfd_create("stash-ranks", 0);
  if (fd < 0 || ftruncate(fd, static_cast<off_t>(bytes(ranks))) != 0) {
    throw Error(fmt::format("cannot make the page shared with the ranks: {}", std::strerror(errno)));
  }
  SharedState state = map(fd, ranks);
  new (state.memory_) Header;
  for (RankState& rank : state.states()) new (&rank) RankState;
  return state;
}

SharedState SharedState::open(int fd, int ranks) {
  SharedState state = map(fd, ranks);
  if (fd < 0) {
    new (state.memory_) Header;
    for (RankState& rank : state.states()) new (&rank) RankState;
  }
  return state;
}

SharedState::SharedState(SharedState&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), memory_(std::exchange(other.memory_, nullptr)), ranks_(other.ranks_) {}

SharedState::~SharedState() {
  if (memory_ != nullptr) munmap(memory_, bytes(ranks_));
  if (fd_ >= 0) close(fd_);
}

std::span<RankState> SharedState::states() {
  auto* first = reinterpret_cast<RankState*>(static_cast<char*>(memory_) + sizeof(Header));
  return {first, static_cast<std::size_t>(ranks_)};
}

void SharedState::request_stop() { static_cast<Header*>(memory_)->stop.store(1, std::memory_order_relaxed); }

void SharedState::meet() {
  Header& header = *static_cast<Header*>(memory_);
  const std::uint32_t before = header.meetings.load(std::memory_order_acquire);
  if (header.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<std::uint32_t>(ranks_)) {
    header.arrived.store(0, std::memory_order_relaxed);
    header.meetings.fetch_add(1, std::memory_order_release);
    futex(header.meetings, FUTEX_WAKE, INT_MAX);
    return;
  }
  while (header.meetings.load(std::memory_order_acquire) == before) futex(header.meetings, FUTEX_WAIT, before);
}

std::uint32_t SharedState::order() const {
  return static_cast<const Header*>(memory_)->order.load(std::memory_order_acquire);
}

void SharedState::give_next_order() {
  Header& header = *static_cast<Header*>(memory_);
  header.order.fetch_add(1, std::memory_order_release);
  futex(header.order, FUTEX_WAKE, INT_MAX);
}

void SharedState::wait_for_next(std::uint32_t order) {
  Header& header = *static_cast<Header*>(memory_);
  while (header.order.load(std::memory_order_acquire) == order) futex(header.order, FUTEX_WAIT, order);
}

bool SharedState::all_finished() {
  return std::ranges::all_of(states(), [&](const RankState& rank) { return rank.finished.load() == order(); });
}

bool SharedState::some_finished() {
  return std::ranges::any_of(states(), [&](const RankState& rank) { return rank.finished.load() == order(); });
}

bool SharedState::stop_requested() const {
  return static_cast<const Header*>(memory_)->stop.load(std::memory_order_relaxed) != 0;
}

}  // namespace stash
