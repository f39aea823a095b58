#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stash/core/ledger.h"
#include "stash/core/profile.h"

namespace stash {

// Lines that several pages share. They hold text from the profile as it is, unless noted.

std::string job_line(const Profile& profile);                              // without a line's end
std::string incomplete_line(const Profile& profile);                       // empty: it is complete
std::string late_rank_line(const Profile& profile, const Ledger& ledger);  // printable; empty with one rank
std::string emulated_line(std::string_view what_was, const Job& job);      // "This was"; empty: the GPUs are real
std::string stopped_line(const Profile& profile, const Ledger& ledger);

// Of the ledger and of the profile, each after "warning: ", without a line's end; of very many the first.
std::vector<std::string> warnings_shown(const Profile& profile, const Ledger& ledger);

}  // namespace stash
