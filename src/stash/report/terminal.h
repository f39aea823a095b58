#pragma once

#include "stash/report/report.h"

namespace stash {

// What standard output can show: colours on a terminal (unless NO_COLOR is set), Unicode in a UTF-8 locale,
// and as wide as the terminal.
ReportOptions options_for_stdout();

}  // namespace stash
