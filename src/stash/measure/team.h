#pragma once

#include <map>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "stash/core/profile.h"
#include "stash/launch/group_names.h"
#include "stash/launch/shared_state.h"
#include "stash/measure/torch_headers.h"

namespace stash {

// Who a rank is, told to the others.
struct Member {
  std::string host;
  std::string node;   // ranks with the same one share a node
  std::string stash;  // versions, which must be the same
  std::string torch;
  std::string job;                      // what all must have been asked for
  std::string reports_to;               // the run folder of a script's rank; empty: the supervisor
  std::vector<ShownGroup> groups = {};  // a script's
};

// All ranks of a job: they meet in torch's store, and leave word there when they fail.
class Team {
 public:
  using StorePtr = c10::intrusive_ptr<c10d::Store>;

  // `store` may be null where there is one rank.
  Team(StorePtr store, int rank, int size) : store_(std::move(store)), rank_(rank), size_(size) {}

  // Tells who this rank is and learns who the others are. Error that names the ranks that never came, fell silent or
  // are of another kind.
  void meet(const Member& own, double deadline_s, RankState& state);

  int rank() const { return rank_; }
  const std::vector<RankPlace>& places() const { return places_; }
  const std::vector<std::vector<ShownGroup>>& groups() const { return groups_; }  // by rank
  int nodes() const { return count_nodes(places_); }
  std::vector<int> ranks_of_node(int node) const;
  std::vector<int> ranks_here() const { return ranks_of_node(places_.at(static_cast<std::size_t>(rank_)).node); }
  bool first_on_node() const { return ranks_here().front() == rank_; }
  bool reports_with_rank_0() const { return reports_with_rank_0_; }  // to the same process

  // What became of a rank whose end made this one fail, as far as can be heard.
  struct Reason {
    std::string message;    // why it failed, or who leaves no word; empty: nothing was heard
    std::vector<int> lost;  // ranks that leave no word
  };
  // This rank fails: the others learn why. Where another rank's end made it fail (`own` is false), returns the reason.
  // Takes seconds at most; the process is to end then.
  Reason part(const std::string& message, bool own);

 private:
  std::string name(int rank) const;  // "rank 3 on gpu02"
  std::string names(const std::vector<int>& ranks) const;
  // A rank that has arrived shows that it is there while it waits.
  struct Arrival {
    std::string beat;
    std::int64_t seen_ns = 0;
  };
  Reason unreachable(const std::vector<int>& ranks) const;
  Reason hear_words();
  std::vector<int> missing();
  void check_beats(std::map<int, Arrival>& arrivals, double deadline_s);
  void wait_for_all(double deadline_s, RankState& state);
  std::vector<Member> read_members();
  void check_alike(int rank, const Member& first, const Member& member) const;
  void take_members(const std::vector<Member>& members);

  StorePtr store_;
  int rank_;
  int size_;
  std::vector<RankPlace> places_;
  std::vector<std::vector<ShownGroup>> groups_;
  bool reports_with_rank_0_ = true;
};

}  // namespace stash
