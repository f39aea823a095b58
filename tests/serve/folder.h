#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "../report/fixture.h"
#include "stash/core/profile_json.h"

namespace stash::testing_support {

// An empty folder that goes away with everything in it.
class TestFolder {
 public:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "stash-view-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
  }
  void write(const std::string& name, const Profile& profile) const { write(name, to_json_text(profile)); }

 private:
  std::filesystem::path path_;
};

inline Profile profile_of_model(const std::string& model, const std::string& device = "cpu") {
  Profile profile = interconnect_profile();
  profile.job.model = model;
  profile.job.device = device;
  return profile;
}

}  // namespace stash::testing_support
