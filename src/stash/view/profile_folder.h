#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stash/core/condition.h"
#include "stash/core/profile.h"

namespace stash {

// What a list says of a profile; strings are cut.
struct ProfileSummary {
  std::string model;
  int batch = 0;  // 0: unknown
  std::string device;
  int ranks = 0;
  int nodes = 0;
  double step_s = 0;
  std::optional<Part> stall;  // the largest part that is not compute and is distinguishable from zero
  double stall_ratio = 0;     // of the step
  bool complete = true;
};

struct ListedFile {
  std::string name;
  std::int64_t modified_ns = 0;  // since 1970
  std::optional<ProfileSummary> profile;
  std::string why_not;  // where it is no profile; empty and no profile: not read yet
};

// The files "*.json" that lie in a folder itself: no links, no folders below. Read again only when they change.
class ProfileFolder {
 public:
  explicit ProfileFolder(const std::filesystem::path& path);  // Error where it is no folder that can be read
  ~ProfileFolder();
  ProfileFolder(const ProfileFolder&) = delete;
  ProfileFolder& operator=(const ProfileFolder&) = delete;

  // Looks at the folder anew and reads new files for about `budget_s`; true: the list is another one than before.
  bool refresh(double budget_s);

  std::vector<ListedFile> files() const;              // the newest first
  std::size_t left_out() const { return left_out_; }  // beyond kMostFiles

  // Error unless it is a file of the list and a profile.
  Profile read(const std::string& name) const;

  static constexpr std::size_t kMostFiles = 10'000;  // about 5 MB of summaries

 private:
  struct Known {
    std::int64_t modified_ns = 0;
    std::int64_t bytes = 0;
    std::uint64_t inode = 0;
    bool is_read = false;
    ListedFile file;
  };

  bool look();
  bool read_new(double budget_s);

  std::filesystem::path path_;
  int fd_ = -1;
  std::map<std::string, Known> known_;
  std::size_t left_out_ = 0;
};

}  // namespace stash
