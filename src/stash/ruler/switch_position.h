#pragma once

#include "stash/core/condition.h"

namespace stash {

enum class SwitchPosition {
  pass,  // collectives go on as issued
  node,  // among the ranks of the node only
  off,   // they return at once
};

SwitchPosition switch_position(Condition condition);

}  // namespace stash
