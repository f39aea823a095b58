#pragma once

#include <memory>
#include <span>

#include "stash/cli/verbs/verb.h"

namespace stash {

// Parses, runs the verb, returns its exit code. UsageError names the nearest verb or flag.
int run_command_line(std::span<const std::unique_ptr<Verb>> verbs, int argc, char** argv);

}  // namespace stash
