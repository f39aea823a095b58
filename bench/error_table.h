#pragma once

#include <map>
#include <string>
#include <vector>

namespace stash::bench {

// Relative errors by group: each gets a line with count, mean, median and 95th percentile.
class ErrorTable {
 public:
  void add(const std::string& group, double predicted, double measured);
  double mean(const std::string& group) const;
  double quantile(const std::string& group, double share) const;
  const std::map<std::string, std::vector<double>>& groups() const { return errors_; }

 private:
  std::map<std::string, std::vector<double>> errors_;
};

}  // namespace stash::bench
