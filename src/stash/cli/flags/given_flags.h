#pragma once

#include <map>
#include <string>

namespace CLI {
class App;
}

namespace stash {

// The flags that a command was given, by name with dashes, but those that may differ from host to host. A job file is
// its name.
std::map<std::string, std::string> given_flags(const CLI::App& app);

}  // namespace stash
