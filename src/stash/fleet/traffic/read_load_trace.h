#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>

#include "stash/fleet/traffic/load_trace.h"

namespace stash {

struct LoadTraceOptions {
  std::string service{};  // only its rows, where the file has a column of services; empty: all
};

// Recorded traffic: a CSV whose header tells what it holds; docs/fleet.md lists the names. Read line by line. Missing
// rows and recording holes are marked and said. Error names the line at fault.
LoadTrace read_load_trace(std::istream& csv, std::string_view source, const LoadTraceOptions& options = {});
LoadTrace read_load_trace(const std::filesystem::path& file, const LoadTraceOptions& options = {});

}  // namespace stash
