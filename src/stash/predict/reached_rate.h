#pragma once

#include <string>
#include <string_view>

namespace stash {

// Where a rate comes from, the surest first: measured here, asked for, published for this machine, fitted to
// measurements of its kind, or a data sheet's.
enum class RateEvidence { measured, given, published, fitted, data_sheet };
std::string_view to_string(RateEvidence evidence);

// A rate that collectives reach, and how far it may be off.
struct ReachedRate {
  std::string what;  // "GPU links", "network", "host memory"
  double bytes_per_s = 0;
  RateEvidence evidence = RateEvidence::data_sheet;
  std::string source;  // a sentence without a full stop
  double spread = 0;   // standard deviation of its logarithm

  double uncertainty_ratio() const;  // it may be this many times smaller or larger, with 95 %
};

// "GPU links: 238 GB/s, fitted (79 % of 300 GB/s, as nvswitch reaches in 92 measurements)".
std::string sentence_of(const ReachedRate& rate);

}  // namespace stash
