#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stash/advise/first_step.h"
#include "stash/advise/tried_step.h"
#include "stash/core/ledger.h"
#include "stash/core/profile.h"

namespace stash {

// Lines that several pages share. They hold text from the profile as it is, unless noted.

std::string job_line(const Profile& profile);                              // without a line's end
std::string script_line(const Profile& profile);                           // without a line's end; empty: no script
std::string work_line(const Profile& profile);                             // without a line's end; empty: none recorded
std::string loader_line(const Profile& profile, const Ledger& ledger);     // without a line's end; empty: no images
std::string incomplete_line(const Profile& profile);                       // empty: it is complete
std::string late_rank_line(const Profile& profile, const Ledger& ledger);  // printable; empty with one rank
std::string emulated_line(std::string_view what_was, const Job& job);      // "This was"; empty: the GPUs are real
std::string stopped_line(const Profile& profile, const Ledger& ledger);

// "about 9.40 ms (9.10 to 9.70) of 90.20 per step, 10 %, $2.55 per hour"; without a price no dollars.
std::string saved_text(const FirstStep& step, const Ledger& ledger, std::optional<double> usd_per_h);

// "saves 41.2 ± 3.0 ms; 43.0 ms predicted", "does not help (0.3 ± 2.1 ms)".
std::string tried_text(const TriedStep& step, const Ledger& ledger);

inline constexpr std::size_t kMostWarnings = 50;  // on one page; files may hold any number

// Of the ledger and of the profile, each after "warning: ", without a line's end; of very many the first.
std::vector<std::string> warnings_shown(const Profile& profile, const Ledger& ledger);

}  // namespace stash
