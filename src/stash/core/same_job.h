#pragma once

#include "stash/core/job.h"

namespace stash {

// What may differ between two descriptions of one job. Everything else must be the same.
struct MayDiffer {
  bool data = false;        // where the data set lies
  bool workers = false;     // input threads per rank
  bool max_time_s = false;  // how long it may be measured
};

// Data may lie elsewhere on every host, and hosts may have more or fewer cores.
inline constexpr MayDiffer kAcrossHosts{.data = true, .workers = true};
// A case of a battery gets what is left of the whole budget, and a data set where it names none.
inline constexpr MayDiffer kAcrossBudgets{.max_time_s = true};
inline constexpr MayDiffer kAcrossBudgetsAndData{.data = true, .max_time_s = true};

// The job without what may differ.
Job common_part(Job job, const MayDiffer& may_differ);
bool is_same_job(const Job& one, const Job& other, const MayDiffer& may_differ);

}  // namespace stash
