#include "stash/fleet/forecast/last_value.h"

#include <cmath>

namespace stash {
namespace {

constexpr double kLastValueHeadRoom = 1.2;

class LastValue final : public LoadForecaster {
 public:
  std::string_view name() const override { return "last-value"; }

  void see(std::span<const LoadMinute> minutes) override {
    for (std::size_t i = minutes.size(); i-- > 0;) {
      if (minutes[i].hole) continue;
      last_ = minutes[i].requests;
      return;
    }
  }

  double quantile(int, double probability) const override {
    return probability > 0.5 ? kLastValueHeadRoom * last_ : last_;
  }

 private:
  double last_ = 0;
};

}  // namespace

std::unique_ptr<LoadForecaster> make_last_value() { return std::make_unique<LastValue>(); }

}  // namespace stash
