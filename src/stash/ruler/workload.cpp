#include "stash/ruler/workload.h"

#include "stash/core/error.h"

namespace stash {

void Workload::apply(const Variant& variant) { throw Error("this job has no variant '" + variant.name + "'"); }

}  // namespace stash
