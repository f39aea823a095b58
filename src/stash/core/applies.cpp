#include "stash/core/applies.h"

namespace stash {

bool applies(Condition condition, const JobShape& shape) {
  switch (condition) {
    case Condition::solo:
      return true;
    case Condition::apart:
    case Condition::node:
      return shape.shares_nodes;
    case Condition::joined:
      return shape.several_nodes;
    case Condition::staged:
      return shape.copies_batches;
    case Condition::hot:
      return shape.reads_input;
    case Condition::cold:
      return shape.reads_input && shape.reads_files;
  }
  return false;
}

}  // namespace stash
