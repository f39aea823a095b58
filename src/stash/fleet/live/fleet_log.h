#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace stash {

// What a controller decided and saw, a line of JSON for each, behind what the file has. Every line has "at" (UTC) and
// "fleet_s", then what it was given.
class FleetLog {
 public:
  explicit FleetLog(std::filesystem::path file) : file_(std::move(file)) {}

  // A disk that is full stops no fleet: the line is lost, and `lost()` counts it.
  void write(double fleet_s, nlohmann::json line);
  int lost() const { return lost_; }

 private:
  std::filesystem::path file_;
  int lost_ = 0;
};

}  // namespace stash
