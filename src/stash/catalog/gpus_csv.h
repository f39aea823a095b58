#pragma once

#include <string_view>

namespace stash {

// The text of catalog/gpus.csv, put in when the program is built.
extern const std::string_view kGpusCsv;

}  // namespace stash
