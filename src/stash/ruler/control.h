#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stash {

// What ranks tell each other about the measurement, over a channel that no condition touches. All ranks call in the
// same order.
class Control {
 public:
  Control(int rank, int size) : rank_(rank), size_(size) {}
  virtual ~Control() = default;

  int rank() const { return rank_; }
  int size() const { return size_; }
  virtual void barrier() = 0;
  // Every rank's values, by rank; all give the same number of them.
  virtual std::vector<std::vector<double>> gather(std::span<const double> values) = 0;
  // Every rank's text, on rank 0; empty elsewhere.
  virtual std::vector<std::string> gather_text(std::string_view text) = 0;
  virtual void send(int rank, double value) = 0;
  virtual double receive(int rank) = 0;

  double from_rank_0(double value);
  double largest(double value);
  bool any(bool value);  // true everywhere when any rank says so

 private:
  int rank_;
  int size_;
};

}  // namespace stash
