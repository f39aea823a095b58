#include "stash/fleet/policy/integer_program.h"

#include <cmath>
#include <coin/CbcModel.hpp>
#include <coin/CoinPackedMatrix.hpp>
#include <coin/OsiClpSolverInterface.hpp>
#include <utility>

namespace stash {
namespace {

// Plans of a few dozen columns need some nodes; what needs more is cut short, with the best that was found.
constexpr int kMostNodes = 200;
constexpr double kCloseEnoughRatio = 5e-3;
constexpr double kWhole = 1e-6;

}  // namespace

struct IntegerProgram::Parts {
  std::vector<double> costs, lows, highs;
  std::vector<int> integers;
  std::vector<int> row_of, column_of;
  std::vector<double> factors;
  std::vector<double> row_lows, row_highs;
};

IntegerProgram::IntegerProgram() : parts_(std::make_unique<Parts>()) {}
IntegerProgram::~IntegerProgram() = default;

int IntegerProgram::column(double cost, double low, double high, bool is_integer) {
  parts_->costs.push_back(cost);
  parts_->lows.push_back(low);
  parts_->highs.push_back(high);
  const int index = static_cast<int>(parts_->costs.size()) - 1;
  if (is_integer) parts_->integers.push_back(index);
  return index;
}

void IntegerProgram::row(std::vector<Term> terms, double low, double high) {
  const int index = static_cast<int>(parts_->row_lows.size());
  for (const Term& term : terms) {
    parts_->row_of.push_back(index);
    parts_->column_of.push_back(term.column);
    parts_->factors.push_back(term.factor);
  }
  parts_->row_lows.push_back(low);
  parts_->row_highs.push_back(high);
}

std::optional<IntegerProgram::Solution> IntegerProgram::solve() const {
  OsiClpSolverInterface solver;
  solver.messageHandler()->setLogLevel(0);
  solver.getModelPtr()->setLogLevel(0);
  const CoinPackedMatrix matrix(true, parts_->row_of.data(), parts_->column_of.data(), parts_->factors.data(),
                                static_cast<CoinBigIndex>(parts_->factors.size()));
  solver.loadProblem(matrix, parts_->lows.data(), parts_->highs.data(), parts_->costs.data(), parts_->row_lows.data(),
                     parts_->row_highs.data());
  solver.initialSolve();
  if (!solver.isProvenOptimal()) return std::nullopt;
  const double* found = solver.getColSolution();
  bool is_whole = true;
  for (const int index : parts_->integers) {
    solver.setInteger(index);
    is_whole = is_whole && std::abs(found[index] - std::round(found[index])) < kWhole;
  }
  const std::size_t count = parts_->costs.size();
  if (is_whole) return Solution{solver.getObjValue(), {found, found + count}, true};
  CbcModel model(solver);
  model.setLogLevel(0);
  model.messageHandler()->setLogLevel(0);
  model.setMaximumNodes(kMostNodes);
  model.setAllowableFractionGap(kCloseEnoughRatio);
  model.branchAndBound();
  if (model.bestSolution() == nullptr) return std::nullopt;
  return Solution{model.getObjValue(), {model.bestSolution(), model.bestSolution() + count}, model.isProvenOptimal()};
}

}  // namespace stash
