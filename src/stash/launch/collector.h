#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stash/core/profile.h"
#include "stash/launch/fault.h"
#include "stash/launch/protocol/event.h"
#include "stash/launch/rank_facts.h"
#include "stash/launch/warning_book.h"

namespace stash {

// Puts a profile together from what the ranks report.
class Collector {
 public:
  explicit Collector(Profile profile) : profile_(std::move(profile)) {}

  // One line of a rank. A line that cannot be understood becomes a warning.
  void take(int rank, std::string_view line);
  void take(int rank, const RankEvent& event);
  void misunderstood(int rank, std::string_view why);
  void take(ScriptWork work) { profile_.work = std::move(work); }
  // Once the ranks measure, and so have all the memory that they need: notes what is left for the page cache.
  void note_cache_room();

  const Profile& profile() const { return profile_; }  // without warnings until it is finished
  const std::string& phase() const { return phase_; }
  double round_s() const { return round_s_; }  // expected, from the pilot; 0 before it
  // When the first round began and the time limit began to count, by the monotonic clock; nullopt before.
  std::optional<std::int64_t> rounds_start_ns() const { return rounds_start_ns_; }
  const RankErrors& errors() const { return errors_; }
  const std::vector<RankFacts>& facts() const { return facts_; }
  const std::optional<TrainedSoFar>& trained() const { return trained_; }  // Purpose::train
  const std::string& elsewhere() const { return elsewhere_; }              // the host of rank 0, where that is another
  bool stopped() const { return stopped_; }                                // the ranks came to the end of their rounds

  // The profile with what all ranks warn of.
  Profile finished() const;

 private:
  struct Taker;  // what each event does to the profile

  Profile profile_;
  WarningBook warnings_;
  std::string phase_ = "starting";
  double round_s_ = 0;
  std::optional<std::int64_t> rounds_start_ns_;
  RankErrors errors_;
  std::vector<RankFacts> facts_;
  std::optional<TrainedSoFar> trained_;
  std::string elsewhere_;
  bool stopped_ = false;
};

}  // namespace stash
