#include "stash/ruler/time_source.h"

#include "stash/core/clock.h"

namespace stash {
namespace {

class MonotonicTime final : public TimeSource {
 public:
  std::int64_t now_ns() const override { return stash::now_ns(); }
};

}  // namespace

const TimeSource& monotonic_time() {
  static const MonotonicTime source;
  return source;
}

}  // namespace stash
