#pragma once

#include <string>
#include <vector>

#include "stash/launch/attached_command.h"

namespace stash {

// Why nothing was seen of a command's training; empty where something was.
std::string why_nothing(Attached attached, const std::vector<std::string>& command);

// A line about a command that did not end well; empty where it did.
std::string bad_end(const ForegroundEnd& end);

}  // namespace stash
