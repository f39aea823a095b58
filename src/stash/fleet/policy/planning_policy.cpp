#include "stash/fleet/policy/planning_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>
#include <utility>

#include "stash/fleet/policy/fleet_offers.h"
#include "stash/fleet/policy/fluid_replay.h"
#include "stash/fleet/policy/miss_price.h"

namespace stash {
namespace {

// Arrivals are uneven within a minute, and machines do not share them perfectly.
constexpr double kCapacityRatio = 0.93;
// Of the median load that does not depend on spot machines, unless others that start this quickly can stand in for
// them.
constexpr double kOnDemandRatio = 0.3;
constexpr int kStandInLead_min = 1;
constexpr int kHorizon_min = 30;
constexpr std::array kSlotBegins_min{0, 1, 2, 3, 4, 6, 10, 18};
// What a miss is worth, over what a request costs on the cheapest machine. Where few were missed: a machine that serves
// half of what it can take is kept. Where all were that may be: a function's price, or without one
// whatever it takes.
constexpr double kLeastWorth = 2;
constexpr double kMostWorth = 1000;
// However little comes: the cheapest machine is kept where it would be worth this many times its price.
constexpr double kWorthOfMachine = 5;

class PlanningPolicy final : public FleetPolicy {
 public:
  PlanningPolicy(std::string_view name, const Market& market, std::span<const RatedType> rated,
                 const FleetObjective& objective, std::unique_ptr<LoadOutlook> outlook)
      : name_(name),
        market_(market),
        outlook_(std::move(outlook)),
        function_(cheapest_function(market, objective)),
        offers_(fleet_offers(market, rated, kCapacityRatio)),
        ordered_min_(offers_.size()),
        least_usd_per_request_(rated.front().usd_per_request),
        miss_price_(1 - objective.meet_ratio, kLeastWorth * least_usd_per_request_,
                    function_ != nullptr ? usd_per_request(*function_) : kMostWorth * least_usd_per_request_) {
    least_usd_per_min_ = std::ranges::min_element(offers_, {}, &FleetOffer::usd_per_min)->usd_per_min;
    for (const FleetOffer& one : offers_) {
      begins_.insert(one.lead_min);
      begins_.insert(one.lead_min + 1);
      can_stand_in_ = can_stand_in_ || (!one.is_spot && one.lead_min <= kStandInLead_min);
      horizon_min_ = std::max(horizon_min_, one.lead_min + kHorizon_min / 2);
    }
    begins_.insert(kSlotBegins_min.begin(), kSlotBegins_min.end());
  }

  std::string_view name() const override { return name_; }
  double period_s() const override { return 60; }

  FleetOrder decide(const FleetView& view) override {
    now_min_ = view.now_s / 60;
    const bool is_first = !has_begun_;
    count_misses(view);
    FleetOrder order{.wanted = std::vector<WantedType>(market_.machines.size())};
    order.use_functions = function_ != nullptr && miss_price_.is_used_up();
    if (view.minutes.empty()) {
      begin(view, order);
      return order;
    }
    outlook_->see({view.now_s, weighed(view.minutes), view.machines});
    if (view.minutes.back().hole && !knows_future()) {
      keep(view, order);
      order.reason = "nothing changes: the last minute was not recorded";
      return order;
    }
    PlanQuestion question = ask(view);
    const PlanAnswer answer = rolling_plan(question);
    apply(question, answer, order);
    order.reason = reason(view, question, answer);
    if (is_first) start_one_where_none(order, "one for what comes");
    order.forecast = outlook_->band(view.now_s, offers_.front().lead_min);
    return order;
  }

 private:
  bool knows_future() const { return name_ == "oracle"; }

  // Where sizes are known, the load is the work: large requests take more of a machine.
  std::span<const LoadMinute> weighed(std::span<const LoadMinute> minutes) {
    for (std::size_t i = weighed_.size(); i < minutes.size(); ++i) {
      weighed_.push_back(minutes[i]);
      weighed_.back().requests = minutes[i].work.value_or(minutes[i].requests);
    }
    return weighed_;
  }

  void count_misses(const FleetView& view) {
    if (!has_begun_) {
      for (const LoadMinute& before : view.minutes) miss_price_.see_before(before);
      counted_ = view.minutes.size();
    }
    has_begun_ = true;
    for (; counted_ < view.minutes.size(); ++counted_) {
      miss_price_.see(view.minutes[counted_]);
    }
  }

  // What is there stays where nothing is known yet.
  void begin(const FleetView& view, FleetOrder& order) {
    if (knows_future()) {
      outlook_->see(view);
      PlanQuestion question = ask(view);
      apply(question, rolling_plan(question), order);
      order.reason = "what the first minutes need";
    } else {
      keep(view, order);
      order.use_functions = function_ != nullptr;
      order.reason = "nothing is known of the load yet: what is there stays";
    }
    start_one_where_none(order, "nothing is known of the load yet: one to begin with");
  }

  // A load that ends before a machine could be there is worth no order to the plan; one of the cheapest begins.
  void start_one_where_none(FleetOrder& order, std::string_view reason) {
    const auto is_some = [](const WantedType& one) { return one.machines + one.spot > 0; };
    if (std::ranges::any_of(order.wanted, is_some)) return;
    order.wanted[offers_.front().type].machines = 1;
    ordered_min_[0].push_back(now_min_);
    order.reason = reason;
  }

  static void keep(const FleetView& view, FleetOrder& order) {
    for (std::size_t i = 0; i < view.machines.size(); ++i) {
      order.wanted[i] = {view.machines[i].ready + view.machines[i].starting,
                         view.machines[i].spot_ready + view.machines[i].spot_starting};
    }
  }

  PlanQuestion ask(const FleetView& view) {
    PlanQuestion question{.offers = {}, .slots = slots(), .usd_per_overflow = miss_price_.usd()};
    if (function_ == nullptr) {
      const double median = question.slots.front().loads.front().requests;
      question.usd_per_overflow =
          std::max(question.usd_per_overflow, kWorthOfMachine * least_usd_per_min_ / std::max(1.0, median));
    }
    for (std::size_t i = 0; i < offers_.size(); ++i) {
      question.offers.push_back(plan_offer(i, view, question.usd_per_overflow));
    }
    return question;
  }

  std::vector<PlanSlot> slots() const {
    std::vector<PlanSlot> found;
    for (auto at = begins_.begin(); at != begins_.end() && *at < horizon_min_; ++at) {
      const auto next = std::next(at);
      const int end = next == begins_.end() ? horizon_min_ : std::min(*next, horizon_min_);
      PlanSlot slot{*at, end - *at, outlook_->loads(*at, end - *at)};
      if (!can_stand_in_) slot.most_by_spot = (1 - kOnDemandRatio) * slot.loads.front().requests;
      found.push_back(std::move(slot));
    }
    return found;
  }

  PlanOffer plan_offer(std::size_t index, const FleetView& view, double usd_per_overflow) {
    const FleetOffer& offer = offers_[index];
    const TypeCount& count = view.machines[offer.type];
    const int starting = offer.is_spot ? count.spot_starting : count.starting;
    PlanOffer found{.usd_per_min = offer.usd_per_min,
                    .per_min = offer.per_min,
                    .lead_min = offer.lead_min,
                    .have = starting + (offer.is_spot ? count.spot_ready : count.ready),
                    .is_spot = offer.is_spot};
    // The youngest are those that start; who was ordered when is remembered here.
    std::deque<double>& ordered = ordered_min_[index];
    while (ordered.size() > static_cast<std::size_t>(found.have)) ordered.pop_front();
    found.kept = starting;
    int young = 0;
    for (const double at : ordered) young += now_min_ - at < offer.least_min;
    found.kept = std::min(found.have, std::max(found.kept, young));
    for (int minute = 0; minute < offer.lead_min; ++minute) {
      int coming = 0;
      for (const double at : ordered) coming += at + offer.lead_min > now_min_ + minute + 0.5;
      found.coming.push_back(std::min(starting, coming));
    }
    if (offer.is_spot) {
      // A machine that is taken away leaves its requests to functions until another one is there.
      found.usd_per_min += offer.interruptions_per_min * offer.lead_min * offer.per_min * usd_per_overflow;
    }
    return found;
  }

  void apply(const PlanQuestion& question, const PlanAnswer& answer, FleetOrder& order) {
    for (std::size_t i = 0; i < offers_.size(); ++i) {
      int& wanted = offers_[i].is_spot ? order.wanted[offers_[i].type].spot : order.wanted[offers_[i].type].machines;
      wanted = answer.wanted[i];
      for (int n = question.offers[i].have; n < wanted; ++n) ordered_min_[i].push_back(now_min_);
    }
  }

  std::string reason(const FleetView& view, const PlanQuestion& question, const PlanAnswer& answer) const {
    std::string changes;
    for (std::size_t i = 0; i < offers_.size(); ++i) {
      const int change = answer.wanted[i] - question.offers[i].have;
      if (change == 0) continue;
      changes +=
          fmt::format("{}{} {}{} {}", changes.empty() ? "" : ", ", change > 0 ? "start" : "stop", std::abs(change),
                      offers_[i].is_spot ? " spot" : "", market_.machines[offers_[i].type].name);
    }
    double most = 0;
    for (const PlanSlot& slot : question.slots) {
      if (slot.begin_min < 2 || slot.begin_min > 12) continue;
      most = std::max(most, slot.loads.back().requests);
    }
    return fmt::format("{}: {:.0f} requests in the last minute, up to {:.0f} within 12 minutes{}",
                       changes.empty() ? "nothing changes" : changes, view.minutes.back().requests, most,
                       outlook_->is_unusual() ? "; the day is unusual, with head-room" : "");
  }

  std::string name_;
  const Market& market_;
  std::unique_ptr<LoadOutlook> outlook_;
  const FunctionType* function_;
  std::vector<FleetOffer> offers_;
  std::vector<std::deque<double>> ordered_min_;  // by offer: when those that exist were ordered, the last ones
  std::set<int> begins_;
  bool can_stand_in_ = false;
  int horizon_min_ = kHorizon_min;
  double least_usd_per_request_;
  double least_usd_per_min_ = 0;
  MissPrice miss_price_;
  std::vector<LoadMinute> weighed_;
  double now_min_ = 0;
  bool has_begun_ = false;
  std::size_t counted_ = 0;
};

}  // namespace

std::unique_ptr<FleetPolicy> make_planning_policy(std::string_view name, const Market& market,
                                                  std::span<const RatedType> rated, const FleetObjective& objective,
                                                  std::unique_ptr<LoadOutlook> outlook) {
  return std::make_unique<PlanningPolicy>(name, market, rated, objective, std::move(outlook));
}

}  // namespace stash
