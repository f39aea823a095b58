#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stash/core/link_time.h"
#include "stash/core/profile.h"

namespace stash {

// As nccl-tests defines them: bytes over time, and what crosses the slowest link for that.
double algorithm_bytes_per_s(const LinkTime& row);
double bus_bytes_per_s(const LinkTime& row);

// Time of a call = latency + bytes / rate, fitted to relative errors; `error_ratio` is their root mean square.
struct LinkFit {
  double latency_s = 0;
  double bytes_per_s = 0;
  double error_ratio = 0;
};
// Of rows of one kind of call; nullopt with fewer than three sizes or where time does not grow with size.
std::optional<LinkFit> fit_link(std::span<const LinkTime> rows);

// Rows that belong to one fit: same scope, op, node and other, in the order of their first row.
std::vector<std::vector<LinkTime>> group_links(const std::vector<LinkTime>& rows);

// A node whose link carries much less than those of its siblings.
struct SlowLink {
  int node = 0;
  std::string host;
  double bytes_per_s = 0;
  double others_bytes_per_s = 0;  // median of the other nodes
};
std::optional<SlowLink> find_slow_link(const Profile& profile);

}  // namespace stash
