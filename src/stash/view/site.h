#pragma once

#include <filesystem>
#include <string>

#include "stash/serve/profile_folder.h"
#include "stash/serve/request.h"
#include "stash/serve/response.h"

namespace stash {

// The pages over a folder of profiles.
class Site {
 public:
  explicit Site(const std::filesystem::path& folder);  // Error where it cannot be read

  Response answer(const Request& request);
  bool changed() { return folder_.refresh(kBudget_s); }  // since the last look

 private:
  static constexpr double kBudget_s = 0.5;  // for reading new files, while clients wait

  Response list(const Request& request);
  Response rows(const Request& request);
  Response profile(const Request& request);
  Response compare(const Request& request);

  std::string name_;
  ProfileFolder folder_;
};

}  // namespace stash
