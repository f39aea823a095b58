#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stash/report/report.h"

namespace stash {

inline constexpr std::size_t kMostRankRows = 256;  // of a table that has one for each rank

// A part of a page; one without a body is left out.
struct Section {
  std::string id;
  std::string title;
  std::string body;  // HTML
};

Section first_step_section(const Report& report);
Section ledger_section(const Report& report);
Section communication_section(const Report& report);
Section conditions_section(const Report& report);
Section ranks_section(const Report& report);
Section collectives_section(const Report& report);
Section input_section(const Report& report);
Section layers_section(const Report& report);
Section machine_section(const Report& report);
Section method_section(const Report& report);

}  // namespace stash
