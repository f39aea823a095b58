#pragma once

#include <memory>
#include <optional>
#include <vector>

namespace stash {

// A mixed-integer linear program: minimise the cost of columns within bounds, under rows. Solved by CBC.
class IntegerProgram {
 public:
  IntegerProgram();
  ~IntegerProgram();

  // Returns the column's index.
  int column(double cost, double low, double high, bool is_integer);
  struct Term {
    int column = 0;
    double factor = 0;
  };
  void row(std::vector<Term> terms, double low, double high);

  static constexpr double kUnbounded = 1e30;

  struct Solution {
    double cost = 0;
    std::vector<double> columns;
    bool is_proven = true;  // false: the search was cut short
  };
  // nullopt: nothing fits.
  std::optional<Solution> solve() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace stash
