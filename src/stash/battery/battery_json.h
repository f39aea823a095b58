#pragma once

#include <string>
#include <string_view>

#include "stash/battery/battery.h"

namespace stash {

// The plan's file: {"schema_version", "tool", then the fields of Battery}.
std::string to_json_text(const Battery& battery);
Battery battery_from_json_text(std::string_view text);  // Error names the key at fault

// A case that failed, with the reason.
struct FailedCase {
  Case of;
  std::string why;
};
std::string to_json_text(const FailedCase& failed);
FailedCase failed_case_from_json_text(std::string_view text);

}  // namespace stash
