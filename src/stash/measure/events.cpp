#include "stash/measure/events.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "stash/core/profile_json.h"
#include "stash/launch/line_channel.h"
#include "stash/measure/switch_backend.h"

namespace stash {

nlohmann::json collective_rows(int rank, const CollectiveLog& log) {
  nlohmann::json rows = nlohmann::json::array();
  for (const CollectiveSummary& row : log.summary(rank, collective_name)) rows.push_back(to_json(row));
  return rows;
}

void Events::send(std::string_view name, nlohmann::json content) const {
  if (fd_ >= 0) send_lines(line(name, std::move(content)));
}

std::string Events::line(std::string_view name, nlohmann::json content) {
  content["event"] = name;
  return content.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

void Events::send_lines(std::string_view lines) const {
  while (fd_ >= 0 && !lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size() - 1);
    write_line(fd_, lines.substr(0, end));
    lines.remove_prefix(end + 1);
  }
}

void Events::phase(std::string_view text) const { send("phase", {{"text", text}}); }

void Events::warning(std::string_view text) const { send("warning", {{"text", text}}); }

}  // namespace stash
