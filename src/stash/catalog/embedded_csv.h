#pragma once

#include <string_view>

namespace stash {

// The texts of the tables in catalog/, put in when the program is built.
extern const std::string_view kGpusCsv;
extern const std::string_view kInstancesCsv;
extern const std::string_view kLinkRatesCsv;
extern const std::string_view kLoadersCsv;
extern const std::string_view kSourcesCsv;

}  // namespace stash
