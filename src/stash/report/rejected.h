#pragma once

#include <string>
#include <vector>

#include "stash/predict/prediction.h"

namespace stash {

// Rejected machines by reason, the commonest first, with some of their names; empty where there are none.
std::string render_rejected(const std::vector<Rejected>& rejected, bool unicode);

}  // namespace stash
