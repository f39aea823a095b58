#pragma once

#include "stash/core/profile.h"
#include "stash/launch/team.h"

namespace stash {

// A profile that is ready to be measured: the job with its data set, made where none is given, and the machine. Error
// when this host's ranks cannot fit in its memory, or the data cannot be read.
Profile prepare_profile(Job job, const Team& team);

}  // namespace stash
