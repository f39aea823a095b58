#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stash {

// What `--try` changes while a job is measured, as variants of its conditions.
enum class FixKind { half_gradients, bucket, workers, prefetch, pinned, no_delay };
inline constexpr std::array kFixKinds{FixKind::half_gradients, FixKind::bucket, FixKind::workers,
                                      FixKind::prefetch,       FixKind::pinned, FixKind::no_delay};
std::string_view to_string(FixKind kind);

struct Fix {
  FixKind kind = FixKind::half_gradients;
  std::string group = {};  // half_gradients: the process group; empty: that of a built-in job
  // bucket: bytes; workers: of a rank; prefetch: batches, of a script those of a worker; no_delay: the rank.
  std::int64_t value = 0;
  bool operator==(const Fix&) const = default;
};

std::string fix_variant(const Fix& fix);              // the variant's name: "workers:4", "half_gradients:dp"
std::optional<Fix> fix_of(std::string_view variant);  // nullopt: it is another change
inline bool changes_input(FixKind kind) {
  return kind == FixKind::workers || kind == FixKind::prefetch || kind == FixKind::pinned;
}
inline bool changes_sums(FixKind kind) { return kind == FixKind::half_gradients || kind == FixKind::bucket; }

// A fix that was thought of. Its windows are variants of the profile.
struct TriedFix {
  std::string fix;            // the variant's name
  std::string left_out = {};  // why it was not tried; empty: it was
  bool operator==(const TriedFix&) const = default;
};

}  // namespace stash
