#pragma once

#include <string>

#include "stash/report/difference_report.h"

namespace stash {

// Two profiles of a job on one page that needs nothing else; the names are the files'.
std::string render_difference_html(const DifferencePage& page, const std::string& before_name,
                                   const std::string& after_name);

}  // namespace stash
