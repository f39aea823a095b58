#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "stash/core/profile_json.h"
#include "stash/measure/collective_log.h"

namespace stash {

// A log as it goes into a profile.
nlohmann::json collective_rows(int rank, const CollectiveLog& log);

// What a rank tells its supervisor, one JSON object a line: {"event": name, ...}. Without a supervisor it is lost.
class Events {
 public:
  explicit Events(int fd) : fd_(fd) {}
  void send(std::string_view name, nlohmann::json content) const;
  void phase(std::string_view text) const;  // what a person may want to know that it is doing
  void warning(std::string_view text) const;
  template <typename Row>
  void send_rows(std::string_view name, const std::vector<Row>& rows) const {
    nlohmann::json list = nlohmann::json::array();
    for (const Row& row : rows) list.push_back(to_json(row));
    send(name, {{"rows", std::move(list)}});
  }
  void send_lines(std::string_view lines) const;  // that another rank made
  static std::string line(std::string_view name, nlohmann::json content);

 private:
  int fd_;
};

}  // namespace stash
