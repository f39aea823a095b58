#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "stash/core/ledger.h"
#include "stash/report/report.h"

namespace stash {

// What communication costs by process group, for the pages. Names are from a script, as they are in the profile.

inline constexpr std::size_t kMostGroupLines = 30;  // of a page for people

// The lines worth showing: without groups that neither cost nor issued anything.
std::vector<GroupTime> shown_groups(const Ledger& ledger);

std::string group_title(const GroupTime& line);      // "tp (FSDP)"; what is left: "only together"
std::string operations_text(const GroupTime& line);  // "6 allreduce of 1.2 MB, 2 allgather of 64 kB"
// What its name does not say: between nodes or inside, how much of each, why it has no time.
std::string group_remark(const GroupTime& line, const Ledger& ledger);
double calls_of(const GroupTime& line);
double bytes_of(const GroupTime& line);

std::string communication_text(const Report& report, bool unicode);  // below the ledger; empty: no groups are known
std::string communication_markdown(const Report& report);
std::string communication_csv(const Report& report);  // rows like those of parts
nlohmann::ordered_json communication_json(const Ledger& ledger);
std::string communication_openmetrics(const Ledger& ledger, const std::string& labels);

}  // namespace stash
