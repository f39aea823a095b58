#pragma once

#include "stash/import/skip_nested.h"
#include "stash/import/trace_event.h"

namespace stash {

// What an attempt to parse a piece came to.
enum class Parsed { whole, needs_more, damaged };

// One event, from behind its opening brace. `at` moves behind the closing brace; where the text is no JSON, to the
// place that is wrong; it stays where the text ends too early. Padding as in scan.h.
Parsed parse_event(const char*& at, const char* end, SkipNested skip_nested, TraceEvent& event);

// Any value; `at` moves as above.
Parsed skip_value(const char*& at, const char* end, SkipNested skip_nested);

}  // namespace stash
