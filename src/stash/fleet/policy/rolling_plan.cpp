#include "stash/fleet/policy/rolling_plan.h"

#include <algorithm>
#include <cmath>

#include "stash/core/error.h"
#include "stash/fleet/policy/integer_program.h"

namespace stash {
namespace {

// So that of equal plans the one with fewer changes is taken.
constexpr double kChangeUsd = 1e-7;

class PlanProgram {
 public:
  explicit PlanProgram(const PlanQuestion& question) : question_(question) {
    for (const PlanOffer& offer : question.offers) add(offer);
    for (std::size_t k = 0; k < question.slots.size(); ++k) add_loads(k);
  }

  PlanAnswer answer() const {
    const auto solution = program_.solve();
    if (!solution) throw Error("no plan fits; this is a fault of the planner");
    PlanAnswer found{.wanted = {}, .usd = solution->cost};
    const auto value = [&](int column) { return solution->columns[static_cast<std::size_t>(column)]; };
    for (const Columns& one : columns_) {
      const double now = value(one.kept.front()) + (one.ordered_now < 0 ? 0 : value(one.ordered_now));
      found.wanted.push_back(static_cast<int>(std::lround(now)));
    }
    double expected = 0;
    for (const Overflow& one : overflows_) {
      found.overflow += one.requests * value(one.column);
      expected += one.expected;
    }
    found.overflow_ratio = expected > 0 ? found.overflow / expected : 0;
    return found;
  }

 private:
  struct Columns {
    std::vector<int> kept;   // by slot, of those that exist
    std::vector<int> added;  // by slot, of new ones in service; -1: none can be
    int ordered_now = -1;
  };
  struct Overflow {
    int column = 0;
    double requests = 0;  // that one unit of the column stands for
    double expected = 0;
  };

  void add(const PlanOffer& offer) {
    Columns columns;
    int before = -1, before_new = -1;
    for (const PlanSlot& slot : question_.slots) {
      const bool is_first = before < 0;
      const double usd = offer.usd_per_min * slot.minutes;
      const double low = is_first ? offer.kept : 0;
      const int kept = program_.column(usd - (is_first ? kChangeUsd : 0), low, offer.have, is_first);
      if (!is_first) program_.row({{before, 1}, {kept, -1}}, 0, IntegerProgram::kUnbounded);
      columns.kept.push_back(kept);
      before = kept;
      if (slot.begin_min < offer.lead_min) {
        columns.added.push_back(-1);
        continue;
      }
      // What is needed before an order of the next minute would be ready is ordered now.
      const bool is_now = slot.begin_min < offer.lead_min + 1;
      const int ordered =
          program_.column(offer.usd_per_min * offer.lead_min + kChangeUsd, 0, IntegerProgram::kUnbounded, is_now);
      if (is_now) columns.ordered_now = ordered;
      const int added = program_.column(usd, 0, IntegerProgram::kUnbounded, is_now);
      std::vector<IntegerProgram::Term> terms{{ordered, 1}, {added, -1}};
      if (before_new >= 0) terms.push_back({before_new, 1});
      program_.row(std::move(terms), 0, IntegerProgram::kUnbounded);
      columns.added.push_back(added);
      before_new = added;
    }
    columns_.push_back(std::move(columns));
  }

  double still_coming(const PlanOffer& offer, int minute) const {
    const auto at = static_cast<std::size_t>(minute);
    return at < offer.coming.size() ? offer.coming[at] : 0;
  }

  // What the machines of a slot take; less by what still starts then.
  struct Capacity {
    std::vector<IntegerProgram::Term> terms;
    double missing = 0;
  };

  void add_capacity(std::size_t i, std::size_t k, Capacity& capacity) const {
    const PlanOffer& offer = question_.offers[i];
    capacity.terms.push_back({columns_[i].kept[k], offer.per_min});
    if (columns_[i].added[k] >= 0) capacity.terms.push_back({columns_[i].added[k], offer.per_min});
    capacity.missing += still_coming(offer, question_.slots[k].begin_min) * offer.per_min;
  }

  // What spot machines serve, as a column: at most what they take, and at most what may depend on them.
  void bound_spot(Capacity spot, double most, Capacity& all) {
    const int served = program_.column(0, 0, std::max(0.0, most), false);
    spot.terms.push_back({served, -1});
    program_.row(std::move(spot.terms), spot.missing, IntegerProgram::kUnbounded);
    all.terms.push_back({served, 1});
  }

  void add_loads(std::size_t k) {
    const PlanSlot& slot = question_.slots[k];
    Capacity all, spot;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      add_capacity(i, k, question_.offers[i].is_spot && slot.most_by_spot ? spot : all);
    }
    if (!spot.terms.empty()) bound_spot(std::move(spot), *slot.most_by_spot, all);
    for (const PlanSlot::Load& load : slot.loads) {
      const double minutes = slot.minutes * load.weight;
      const int over = program_.column(minutes * question_.usd_per_overflow, 0, IntegerProgram::kUnbounded, false);
      overflows_.push_back({over, minutes, minutes * load.requests});
      auto terms = all.terms;
      terms.push_back({over, 1});
      program_.row(std::move(terms), load.requests + all.missing, IntegerProgram::kUnbounded);
    }
  }

  const PlanQuestion& question_;
  IntegerProgram program_;
  std::vector<Columns> columns_;
  std::vector<Overflow> overflows_;
};

}  // namespace

PlanAnswer rolling_plan(const PlanQuestion& question) { return PlanProgram(question).answer(); }

}  // namespace stash
