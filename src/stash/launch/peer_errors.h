#pragma once

#include <string_view>

namespace stash {

// A collective's error that another rank's end causes: that rank is the one to blame. Gloo and NCCL have no type for
// it.
bool is_of_a_lost_peer(std::string_view message);

}  // namespace stash
