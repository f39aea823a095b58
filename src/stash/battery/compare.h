#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stash/battery/summary.h"
#include "stash/catalog/instance.h"

namespace stash {

// The case with which a machine trains a model fastest; one price holds for all its cases, so it is the cheapest too.
struct BestCase {
  std::size_t machine = 0;  // index into Comparison::machines
  std::string name;         // of the case
  Estimate epoch;           // of as many samples on every machine
  std::optional<double> epoch_usd;
};

// One model on all machines that finished a case of it.
struct ModelComparison {
  std::string model;
  double epoch_samples = 0;
  std::vector<BestCase> machines;       // the fastest first
  std::optional<std::size_t> cheapest;  // index into `machines`; nullopt: no price is known
  bool fastest_is_certain = false;      // its interval and the next one's do not meet
};

// A machine that costs more an hour than another, by more than it is faster.
struct DoesNotPay {
  std::string model;
  std::size_t machine = 0;
  std::size_t cheaper = 0;
  double price_ratio = 0;  // over 1
  double speed_ratio = 0;  // below price_ratio; 1 or less: it is not even faster
};

// A link beside what its kind should give.
struct LinkComparison {
  std::size_t machine = 0;
  std::string link;  // "GPU links" or "network"
  double measured_bytes_per_s = 0;
  double expected_bytes_per_s = 0;
  std::string expected_of;   // "p3.16xlarge": who gives that, in the catalogue
  bool falls_short = false;  // far below
};

struct Comparison {
  std::vector<BatterySummary> machines;
  std::vector<ModelComparison> models;  // in the order of their first case
  std::vector<DoesNotPay> does_not_pay;
  std::vector<LinkComparison> links;
};

Comparison compare(std::vector<BatterySummary> machines, std::span<const Instance> catalogue);

// The finished case of a model with the least time a sample; nullptr: there is none.
const CaseResult* fastest_case(const BatterySummary& summary, const std::string& model);
std::vector<std::string> models_of(const BatterySummary& summary);  // with a finished case, in the plan's order

}  // namespace stash
