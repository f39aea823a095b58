#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "stash/report/report.h"
#include "stash/view/profile_folder.h"
#include "stash/view/request.h"
#include "stash/view/response.h"

namespace stash {

// The pages over a folder of profiles.
class Site {
 public:
  using MakeReport = std::function<Report(Profile)>;

  Site(const std::filesystem::path& folder, MakeReport make_report);  // Error where the folder cannot be read

  Response answer(const Request& request);
  bool changed() { return folder_.refresh(kBudget_s); }  // since the last look

 private:
  static constexpr double kBudget_s = 0.5;  // for reading new files, while clients wait

  Response list(const Request& request);
  Response rows(const Request& request);
  Response profile(const Request& request);
  Response compare(const Request& request);

  std::string name_;
  MakeReport make_report_;
  ProfileFolder folder_;
};

}  // namespace stash
