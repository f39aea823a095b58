#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stash/core/job.h"
#include "stash/launch/cluster/meeting_point.h"
#include "stash/launch/cluster/node_identity.h"
#include "stash/launch/pool/pool_seat.h"

namespace stash {

// What ranks are started for: to train and measure, to time the links between them, to say what they are, to train with
// the workers that a pool gives them.
enum class Purpose { profile, links, doctor, train };
std::string_view to_string(Purpose purpose);
constexpr std::array<Purpose, 4> every(Purpose) {
  return {Purpose::profile, Purpose::links, Purpose::doctor, Purpose::train};
}

// All that the ranks of a crew are told. They read it when they start and, where they stay, after every order.
struct Order {
  Purpose purpose = Purpose::profile;
  Job job;
  std::optional<std::int64_t> max_link_bytes;  // Purpose::links: the largest call
  std::optional<PoolSeat> pool;                // Purpose::train: where to join; absent: nowhere
  std::optional<double> samples;               // Purpose::train: of all ranks, until it ends
  bool tries = false;                          // Purpose::profile: fixes, beside the conditions
  int first_rank = 0;                          // of the crew
  int crew_size = 1;
  int team_size = 1;
  int first_local_rank = 0;               // picks among the devices of the host
  std::vector<NodeIdentity> nodes;        // by index in the crew
  std::string job_key;                    // must be the same on all ranks of the team
  std::optional<std::string> store_file;  // where they meet when the crew is the whole team
  MeetingPoint meeting;                   // where they meet otherwise
  std::string interface;                  // that Gloo's collectives use; empty: the backend's choice
  double timeout_s = 30;                  // of collectives and of waiting for others
  bool on_gpus = false;                   // a rank computes on a GPU of its host
  bool stay = false;                      // for another order

  bool is_whole() const { return crew_size == team_size; }
};

void write_order(const std::filesystem::path& path, const Order& order);
Order read_order(const std::filesystem::path& path);

}  // namespace stash
