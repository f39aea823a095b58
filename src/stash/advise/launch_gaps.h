#pragma once

#include <optional>

#include "stash/advise/job_facts.h"

namespace stash {

// For a script whose GPU waits for launches while a rank computes alone: its recorded kernels are shorter than that.
// nullopt: there are none to speak of, or the script is compiled already.
std::optional<FirstStep> about_launch_gaps(const JobFacts& facts);

}  // namespace stash
