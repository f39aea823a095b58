#include "stash/fleet/live/fleet_log.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "stash/core/profile_json.h"
#include "stash/launch/process/child.h"

namespace stash {

void FleetLog::write(double fleet_s, nlohmann::json line) {
  const auto now = std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
  line["at"] = fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", now);
  line["fleet_s"] = std::round(fleet_s * 1000) / 1000;
  const std::string text = dump_json(line) + "\n";
  const Fd file(::open(file_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644));
  // One write: two controllers, or one that is killed, leave no half lines.
  if (file.get() < 0 || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) ++lost_;
}

}  // namespace stash
