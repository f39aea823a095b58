#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace stash {

extern const char* const kVersion;  // "0.1.0"

// The git revision of the sources, "+" behind it when they were changed since; empty where it is not known.
extern const char* const kRevision;

// "0.1.0 (686ef59a1b2c)"; without a revision, the version alone.
std::string version_text();

// What wrote a file: {"name", "version", "revision"}, the revision null where it is not known.
nlohmann::json tool_json();

}  // namespace stash
