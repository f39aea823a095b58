#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "stash/advise/question.h"
#include "stash/cli/flags/usd_flag.h"

namespace CLI {
class App;
}

namespace stash {

// The flags that say what is to be trained and what matters.
class AdviseFlags {
 public:
  void add_to(CLI::App& app);
  // UsageError names the flag at fault and shows a valid spelling. `dataset_samples`: a profile's, where it counted
  // them; used without --samples.
  AdviceQuestion resolve(std::optional<double> dataset_samples = std::nullopt) const;
  std::size_t top() const;  // rows of the page
  int max_nodes() const;    // 1 to 16

 private:
  std::optional<double> epochs_;
  std::optional<double> samples_;
  std::string deadline_;
  std::string budget_;
  std::string sure_;
  bool spot_ = false;
  std::optional<double> interruptions_per_hour_;
  std::string restart_;
  std::string startup_ = "0s";
  UsdFlag storage_usd_per_hour_{"--storage-usd-per-hour", UsdFlag::Least::from_0};
  std::int64_t top_ = 10;
  std::int64_t max_nodes_ = 16;
  std::uint64_t seed_ = 1;
};

}  // namespace stash
