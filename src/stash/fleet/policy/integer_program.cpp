#include "stash/fleet/policy/integer_program.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "stash/fleet/policy/solver_library.h"

namespace stash {
namespace {

// Plans of a few dozen columns need some nodes; what needs more is cut short, with the best that was found.
constexpr int kMostNodes = 200;
constexpr double kCloseEnoughRatio = 5e-3;
constexpr double kWhole = 1e-6;

}  // namespace

struct IntegerProgram::Parts {
  struct Entry {
    int row;
    double factor;
  };
  std::vector<double> costs, lows, highs;
  std::vector<int> integers;
  std::vector<std::vector<Entry>> entries;  // by column
  std::vector<double> row_lows, row_highs;

  // The matrix by columns, as the solver takes it.
  struct Matrix {
    std::vector<int> starts{0}, row_of;
    std::vector<double> factors;
  };
  Matrix matrix() const {
    Matrix made;
    for (const std::vector<Entry>& column : entries) {
      for (const Entry& entry : column) {
        made.row_of.push_back(entry.row);
        made.factors.push_back(entry.factor);
      }
      made.starts.push_back(static_cast<int>(made.row_of.size()));
    }
    return made;
  }
};

namespace {

// One problem in the hands of CLP or CBC.
class LoadedProgram {
 public:
  LoadedProgram(const SolverLibrary::Functions& solver) : solver_(solver), model_(solver.new_model()) {
    solver_.set_log_level(model_, 0);
  }
  ~LoadedProgram() { solver_.delete_model(model_); }
  LoadedProgram(const LoadedProgram&) = delete;
  LoadedProgram& operator=(const LoadedProgram&) = delete;

  SolverLibrary::Model* model() const { return model_; }
  const double* columns() const { return solver_.columns(model_); }
  double cost() const { return solver_.cost(model_); }
  void solve() const { solver_.solve(model_); }

 private:
  const SolverLibrary::Functions& solver_;
  SolverLibrary::Model* model_;
};

}  // namespace

IntegerProgram::IntegerProgram() : parts_(std::make_unique<Parts>()) {}
IntegerProgram::~IntegerProgram() = default;

int IntegerProgram::column(double cost, double low, double high, bool is_integer) {
  const int index = static_cast<int>(parts_->costs.size());
  parts_->costs.push_back(cost);
  parts_->lows.push_back(low);
  parts_->highs.push_back(high);
  parts_->entries.emplace_back();
  if (is_integer) parts_->integers.push_back(index);
  return index;
}

void IntegerProgram::row(std::vector<Term> terms, double low, double high) {
  const int index = static_cast<int>(parts_->row_lows.size());
  for (const Term& term : terms) {
    parts_->entries[static_cast<std::size_t>(term.column)].push_back({index, term.factor});
  }
  parts_->row_lows.push_back(low);
  parts_->row_highs.push_back(high);
}

std::optional<IntegerProgram::Solution> IntegerProgram::solve() const {
  const SolverLibrary& library = solver_library();
  const Parts::Matrix matrix = parts_->matrix();
  const auto load = [&](const SolverLibrary::Functions& solver, SolverLibrary::Model* model) {
    solver.load(model, static_cast<int>(parts_->costs.size()), static_cast<int>(parts_->row_lows.size()),
                matrix.starts.data(), matrix.row_of.data(), matrix.factors.data(), parts_->lows.data(),
                parts_->highs.data(), parts_->costs.data(), parts_->row_lows.data(), parts_->row_highs.data());
  };
  const std::size_t count = parts_->costs.size();
  {
    // Most plans are whole numbers without asking for it, and the linear part is quick.
    const LoadedProgram relaxed(library.linear);
    load(library.linear, relaxed.model());
    relaxed.solve();
    if (library.linear_status(relaxed.model()) != 0) return std::nullopt;
    const double* const found = relaxed.columns();
    const auto is_whole = [&](int index) { return std::abs(found[index] - std::round(found[index])) < kWhole; };
    if (std::ranges::all_of(parts_->integers, is_whole)) return Solution{relaxed.cost(), {found, found + count}, true};
  }
  const LoadedProgram whole(library.integer);
  load(library.integer, whole.model());
  for (const int index : parts_->integers) library.set_integer(whole.model(), index);
  library.set_most_nodes(whole.model(), kMostNodes);
  library.set_gap_ratio(whole.model(), kCloseEnoughRatio);
  whole.solve();
  const double* const found = whole.columns();
  if (found == nullptr) return std::nullopt;
  return Solution{whole.cost(), {found, found + count}, library.is_optimal(whole.model()) != 0};
}

}  // namespace stash
