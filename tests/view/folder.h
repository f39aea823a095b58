#pragma once

#include <string>

#include "../report/report_fixture.h"
#include "stash/core/profile_json.h"
#include "support/temporary_folder.h"

namespace stash::testing_support {

// A temporary folder that takes profiles.
class TestFolder : public TemporaryFolder {
 public:
  using TemporaryFolder::write;
  void write(const std::string& name, const Profile& profile) const { write(name, to_json_text(profile)); }
};

inline Profile profile_of_model(const std::string& model, const std::string& device = "cpu") {
  Profile profile = interconnect_profile();
  profile.job.model = model;
  profile.job.device = device;
  return profile;
}

}  // namespace stash::testing_support
