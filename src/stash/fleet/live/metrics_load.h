#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stash/fleet/live/load_book.h"

namespace stash {

// Counts that servers give since they started, as what came since they were asked last. A server that starts again
// counts from 0.
class MetricsLoad {
 public:
  explicit MetricsLoad(double objective_s) : objective_s_(objective_s) {}

  // What `source` says now. Error where it says nothing of requests, or nonsense. From its second word on, what came in
  // between is added to the book.
  void add(const std::string& source, std::string_view text, LoadBook& book, double now_s);

 private:
  struct Word {
    double at_s = 0;
    double answered = 0, refused = 0, late = 0;
  };
  double objective_s_;
  std::map<std::string, Word> last_;
};

// What an address answers, as http://HOST:PORT/metrics. Error where it does not.
std::string fetch_metrics(const std::string& url);

}  // namespace stash
