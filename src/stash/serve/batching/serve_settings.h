#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace stash {

// How a batch gets the requests' bytes: from where each was received, or gathered into memory of its own first, which
// is pinned or, with `pageable`, not. Without a GPU no memory is pinned.
enum class InputWay { direct, gather, pageable };
// How the server learns that the device is done: an event wakes the thread that answers; or a thread of its own waits,
// blocking, asking every 50 µs, or all the time, and wakes the other.
enum class CompletionWay { event, blocking, polling, spinning };
// When requests become a batch: by their rate and objective, or when it is full or a time is over.
enum class BatchingWay { objective, fixed };
// What serves while a model is loaded again: the old one, until the new one is there; or nobody.
enum class ReloadWay { swap, stop };
// How a GPU's work is launched: recorded once per size of batch, or kernel by kernel.
enum class LaunchWay { graphs, eager };
// How several models share a device: one after the other; each with a part of it, as large as it needs, or all equal;
// or all at once, each with what the others leave.
enum class SharingWay { turns, need, equal, streams };

inline constexpr std::array<std::string_view, 3> kInputWays{"direct", "gather", "pageable"};
inline constexpr std::array<std::string_view, 4> kCompletionWays{"event", "blocking", "polling", "spinning"};
inline constexpr std::array<std::string_view, 2> kBatchingWays{"objective", "fixed"};
inline constexpr std::array<std::string_view, 2> kReloadWays{"swap", "stop"};
inline constexpr std::array<std::string_view, 2> kLaunchWays{"graphs", "eager"};
inline constexpr std::array<std::string_view, 4> kSharingWays{"turns", "need", "equal", "streams"};

// The switches, each with the better way first; and what was injected, to find it again.
struct ServeSettings {
  InputWay input = InputWay::direct;
  CompletionWay completion = CompletionWay::event;
  BatchingWay batching = BatchingWay::objective;
  ReloadWay reload = ReloadWay::swap;
  LaunchWay launch = LaunchWay::graphs;
  SharingWay sharing = SharingWay::turns;  // fixed while a server runs
  std::optional<double> objective_s{};
  int most_batch = 32;
  double batch_timeout_s = 0.005;  // of BatchingWay::fixed
  double slow_gather_s = 0;
  double late_notice_s = 0;

  bool operator==(const ServeSettings&) const = default;
};

}  // namespace stash
