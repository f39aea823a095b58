#include "stash/measure/events.h"

#include <nlohmann/json.hpp>

#include "stash/launch/line_channel.h"

namespace stash {

void Events::send(std::string_view name, nlohmann::json content) const {
  if (fd_ < 0) return;
  content["event"] = name;
  write_line(fd_, content.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void Events::phase(std::string_view text) const { send("phase", {{"text", text}}); }

void Events::warning(std::string_view text) const { send("warning", {{"text", text}}); }

}  // namespace stash
