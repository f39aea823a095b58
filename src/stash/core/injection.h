#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace stash {

// Injected stalls: `read=20MB/s,prep=5ms/sample,rank1=+30ms,link=1Gbit/s,warmup=+2s`.
struct Injection {
  std::optional<double> read_bytes_per_s;   // storage rate of each rank, for bytes that are not in the page cache
  std::optional<double> prep_s_per_sample;  // extra time of a worker for each sample, slept
  std::optional<double> link_bytes_per_s;   // rate of each rank's link for collectives
  std::optional<double> warmup_s;           // extra time of the first step under each condition, slept
  std::map<int, double> rank_delay_s;       // extra time of a rank in every step, slept

  std::map<std::string, double> group_link_bytes_per_s = {};  // `link:tp=1Gbit/s`: of a script's process group

  bool empty() const;
  bool operator==(const Injection&) const = default;
};

Injection parse_injection(std::string_view text);   // UsageError names the nearest valid kind
std::string to_string(const Injection& injection);  // parses back to the same

}  // namespace stash
