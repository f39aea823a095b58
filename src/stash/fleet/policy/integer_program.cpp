#include "stash/fleet/policy/integer_program.h"

#include <algorithm>
#include <array>
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
  void load(const SolverLibrary::Functions& solver, SolverLibrary::Model* model, const std::vector<double>& least,
            const std::vector<double>& most) const {
    const Matrix all = matrix();
    solver.load(model, static_cast<int>(costs.size()), static_cast<int>(row_lows.size()), all.starts.data(),
                all.row_of.data(), all.factors.data(), least.data(), most.data(), costs.data(), row_lows.data(),
                row_highs.data());
  }

  bool is_whole(const Solution& found) const;
  // Within these bounds, without asking for whole numbers.
  std::optional<Solution> relaxed(const std::vector<double>& least, const std::vector<double>& most) const;
  // A relaxed solution's whole numbers made such, if that costs next to nothing.
  std::optional<Solution> rounded(const Solution& bound) const;
  std::optional<Solution> searched() const;
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

bool IntegerProgram::Parts::is_whole(const Solution& found) const {
  return std::ranges::all_of(integers, [&](int index) {
    const double value = found.columns[static_cast<std::size_t>(index)];
    return std::abs(value - std::round(value)) < kWhole;
  });
}

std::optional<IntegerProgram::Solution> IntegerProgram::Parts::relaxed(const std::vector<double>& least,
                                                                       const std::vector<double>& most) const {
  const SolverLibrary& library = solver_library();
  const LoadedProgram linear(library.linear);
  load(library.linear, linear.model(), least, most);
  library.solve_linear(linear.model(), 0);
  if (library.linear_status(linear.model()) != 0) return std::nullopt;
  return Solution{linear.cost(), {linear.columns(), linear.columns() + costs.size()}, true};
}

std::optional<IntegerProgram::Solution> IntegerProgram::Parts::rounded(const Solution& bound) const {
  constexpr std::array<double, 2> kRaise{0.5, 1 - kWhole};  // to the nearest number, or the next one
  for (const double raise : kRaise) {
    std::vector<double> least = lows, most = highs;
    for (const int index : integers) {
      const auto place = static_cast<std::size_t>(index);
      least[place] = most[place] = std::clamp(std::floor(bound.columns[place] + raise), least[place], most[place]);
    }
    const std::optional<Solution> found = relaxed(least, most);
    if (found && found->cost - bound.cost <= kCloseEnoughRatio * std::abs(bound.cost)) return found;
  }
  return std::nullopt;
}

std::optional<IntegerProgram::Solution> IntegerProgram::Parts::searched() const {
  const SolverLibrary& library = solver_library();
  const LoadedProgram whole(library.integer);
  load(library.integer, whole.model(), lows, highs);
  for (const int index : integers) library.set_integer(whole.model(), index);
  library.set_most_nodes(whole.model(), kMostNodes);
  library.set_gap_ratio(whole.model(), kCloseEnoughRatio);
  library.solve_integer(whole.model());
  const double* const found = whole.columns();
  if (found == nullptr) return std::nullopt;
  return Solution{whole.cost(), {found, found + costs.size()}, library.is_optimal(whole.model()) != 0};
}

std::optional<IntegerProgram::Solution> IntegerProgram::solve() const {
  // Most plans are whole numbers without asking for it, or nearly; and the linear part is quick.
  std::optional<Solution> found = parts_->relaxed(parts_->lows, parts_->highs);
  if (!found || parts_->is_whole(*found)) return found;
  if (auto near = parts_->rounded(*found)) return near;
  return parts_->searched();
}

}  // namespace stash
