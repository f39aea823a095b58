#pragma once

#include <optional>
#include <span>
#include <string>

#include "stash/catalog/instance.h"
#include "stash/report/report.h"

namespace stash {

// All that is found out about a profile, once for every format. `instances`: the catalogue with the user's own rows.
Report make_report(Profile profile, std::span<const Instance> instances, std::optional<double> usd_per_hour = {});

// Of a profile's file, for a page that shows it beside something else. An empty path: there is none.
std::optional<Report> report_of_file(const std::string& path, std::span<const Instance> instances);

}  // namespace stash
