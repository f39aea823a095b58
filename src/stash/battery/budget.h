#pragma once

#include <functional>
#include <optional>
#include <string>

namespace stash {

struct Caps {
  std::optional<double> max_time_s;  // of this call
  std::optional<double> max_usd;     // of all calls in the folder; needs usd_per_h
  std::optional<double> usd_per_h;
};

// How long a battery may still go on.
class Budget {
 public:
  // `spent_before_s`: by earlier calls in the same folder. `now_s`: a clock, whose present reading is the beginning.
  Budget(const Caps& caps, double spent_before_s, std::function<double()> now_s);

  double spent_s() const;                // by this call
  std::optional<double> left_s() const;  // not below 0; nullopt: no cap
  std::string cap() const;               // what ends first: "--max-time" or "--max-cost"; empty: no cap

 private:
  std::optional<double> limit_s_;
  std::string cap_;
  std::function<double()> now_s_;
  double start_s_;
};

}  // namespace stash
