#include "stash/measure/events.h"

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
  if (fd_ < 0) return;
  content["event"] = name;
  write_line(fd_, content.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void Events::collectives(int rank, const CollectiveLog& log) const {
  send("collectives", {{"rows", collective_rows(rank, log)}});
}

void Events::phase(std::string_view text) const { send("phase", {{"text", text}}); }

void Events::warning(std::string_view text) const { send("warning", {{"text", text}}); }

}  // namespace stash
