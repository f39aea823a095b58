#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stash/advise/advice.h"

namespace stash {

// One row of a page: an option, and the node counts with which the same machine is in the same group of near-ties.
struct AdviceRow {
  std::size_t option = 0;           // into Advice::ranked
  std::vector<std::size_t> folded;  // the others, into Advice::ranked
  std::string other_nodes;          // "2 to 9, 11"; empty: there are none
  double certainty_ratio = 0;       // of meeting what was asked for; without that, of being first, all together
  enum { alone, top, inside, bottom } place = alone;  // in its group
};

// In the order of the ranking.
std::vector<AdviceRow> advice_rows(const Advice& advice);

// "93 %", rounded down; "over 99 %", "under 1 %".
std::string probability_text(double ratio);
std::string probability_cell(double ratio);  // the same for a column: ">99 %", "<1 %"

}  // namespace stash
