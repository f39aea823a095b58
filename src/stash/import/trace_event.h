#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stash {

// What is kept of one event of a trace; of one whose phase is not 'X', perhaps the phase alone. The views are as
// written, escapes undecoded, and hold until the next event.
struct TraceEvent {
  char phase = 0;  // 'X': has a start and a duration
  std::string_view category;
  std::string_view name;
  std::optional<std::int64_t> process;  // a kernel's GPU; nullopt: missing, or words
  std::optional<std::int64_t> thread;   // a kernel's stream; nullopt as above
  std::optional<std::int64_t> start_ns, duration_ns;
  std::string_view rest;  // behind the last of these up to the closing brace: `"args": {…}`, as torch.profiler writes
};

}  // namespace stash
