#include "stash/core/same_job.h"

#include <utility>

namespace stash {

Job common_part(Job job, const MayDiffer& may_differ) {
  const Job unset;
  if (may_differ.data) job.data = unset.data;
  if (may_differ.workers) job.workers = unset.workers;
  if (may_differ.max_time_s) job.max_time_s = unset.max_time_s;
  return job;
}

bool is_same_job(const Job& one, const Job& other, const MayDiffer& may_differ) {
  return common_part(one, may_differ) == common_part(other, may_differ);
}

}  // namespace stash
