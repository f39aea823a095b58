#pragma once

#include <cstddef>
#include <deque>
#include <vector>

namespace stash {

// What a rank loaded while the number of its workers did not change.
struct LoaderWindow {
  int workers = 1;
  double elapsed_s = 0;
  double samples = 0;
  double waited_s = 0;  // by the training loop
  double busy_s = 0;    // of all workers
};

// Why a report cannot be true; nullptr: it can.
const char* doubt_of(const LoaderWindow& window);

// The last windows with one number of workers. Those in which something else slowed the job down are told apart.
class RecentWindows {
 public:
  void add(const LoaderWindow& window);
  void keep_newest(std::size_t count);

  std::size_t size() const { return windows_.size(); }
  LoaderWindow sum() const { return sum_; }        // of the undisturbed ones
  double samples_per_s() const;                    // of them
  double spread_ratio() const { return spread_; }  // standard deviation of one of them, relative
  double sum_spread_ratio() const;                 // of their sum

 private:
  void summarize();
  void add_up(const std::vector<bool>& counts);

  std::deque<LoaderWindow> windows_;
  LoaderWindow sum_;
  double spread_ = 0;
  std::size_t undisturbed_ = 0;
};

}  // namespace stash
