#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/attribute/sync_groups.h"
#include "stash/predict/step_job.h"

namespace stash {

// The process groups of a script whose ranks do more than sum gradients among all of them.
struct ScriptGroups {
  struct Group {
    StepGroup as_measured;
    SyncKind kind = SyncKind::unknown;
    bool grows = false;          // with the job; else it keeps its ranks
    bool follows_batch = false;  // its bytes are those of activations
  };
  std::vector<Group> groups;
  int ranks = 1;        // of the profile
  int fixed_ranks = 1;  // a job has a multiple of these
  int shards = 1;       // into which parameters are cut, in the profile
  bool shards_grow = false;

  // Those of a job of so many ranks, with batches this many times as large.
  std::vector<StepGroup> for_ranks(int all_ranks, double batch_ratio) const;
  int shards_for(int all_ranks) const;
  std::vector<std::string> assumptions() const;
};

// nullopt: all that goes between the ranks is a sum of gradients over all of them. Error says what is not known of the
// groups.
std::optional<ScriptGroups> script_groups(const Profile& profile, const Ledger& ledger);

}  // namespace stash
