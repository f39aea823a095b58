#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "stash/core/profile.h"
#include "stash/launch/rank_facts.h"
#include "stash/launch/supervisor.h"

namespace stash {

// What a rank reported when it gave up.
struct RankError {
  std::string kind;  // usage | environment | memory | peer: caused by another rank's end
  std::string message;
  std::vector<int> lost = {};  // ranks that it heard nothing more of
};

// Puts a profile together from what the ranks report, line by line.
class Collector {
 public:
  explicit Collector(Profile profile) : profile_(std::move(profile)) {}

  // One line of a rank. A line that cannot be understood becomes a warning.
  void take(int rank, std::string_view line);
  const Profile& profile() const { return profile_; }
  Profile& profile() { return profile_; }
  const std::string& phase() const { return phase_; }
  double round_s() const { return round_s_; }  // expected, from the pilot; 0 before it
  const std::map<int, RankError>& errors() const { return errors_; }
  const std::vector<RankFacts>& facts() const { return facts_; }
  const std::string& elsewhere() const { return elsewhere_; }  // the host of rank 0, where that is another
  bool stopped() const { return stopped_; }                    // the ranks came to the end of their rounds

 private:
  using Handler = void (*)(Collector&, int rank, const nlohmann::json& message);
  static const std::map<std::string_view, Handler>& handlers();

  Profile profile_;
  std::string phase_ = "starting";
  double round_s_ = 0;
  std::map<int, RankError> errors_;
  std::vector<RankFacts> facts_;
  std::string elsewhere_;
  bool stopped_ = false;
};

// Once the ranks measure, and so have all the memory that they need: what is left for the page cache.
void note_cache_room(Collector& collector);

// The one rank to blame and why, with its last output; nullopt when every rank ended well. `host` is the ranks' own,
// empty where there is no other.
std::optional<std::string> describe_fault(const Outcome& outcome, const std::map<int, RankError>& errors,
                                          double deadline_s, const std::string& host = "");
// True when the fault is in what was asked for (exit code 2) rather than in the environment.
bool is_usage_fault(const std::map<int, RankError>& errors);

}  // namespace stash
