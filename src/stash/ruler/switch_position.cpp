#include "stash/ruler/switch_position.h"

namespace stash {

SwitchPosition switch_position(Condition condition) {
  switch (condition) {
    case Condition::solo:
    case Condition::apart:
      return SwitchPosition::off;
    case Condition::node:
      return SwitchPosition::node;
    default:
      return SwitchPosition::pass;
  }
}

}  // namespace stash
