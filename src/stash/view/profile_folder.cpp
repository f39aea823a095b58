#include "stash/view/profile_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>
#include <system_error>

#include "stash/attribute/attribute.h"
#include "stash/attribute/round_table.h"
#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/report/printable.h"
#include "stash/report/verdict.h"

namespace stash {

namespace {

constexpr std::int64_t kMostBytes = 64 << 20;  // a profile of hundreds of ranks is far below
constexpr std::size_t kLongestText = 200;      // characters of a name that the list keeps

std::string reason() { return std::generic_category().message(errno); }

class File {
 public:
  File(int folder, const std::string& name)
      : fd_(openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) {
    if (fd_ < 0) throw Error(fmt::format("cannot open {}: {}", name, reason()));
  }
  ~File() { close(fd_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::string content(const std::string& name) const {
    struct stat status{};
    if (fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode)) throw Error(fmt::format("{} is not a file", name));
    if (status.st_size > kMostBytes) throw Error(fmt::format("{} is larger than {} MB", name, kMostBytes >> 20));
    std::string text(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t size = 0;
    for (ssize_t count = 1; count > 0 && size < text.size(); size += static_cast<std::size_t>(count)) {
      count = ::read(fd_, text.data() + size, text.size() - size);
      if (count < 0) throw Error(fmt::format("cannot read {}: {}", name, reason()));
    }
    text.resize(size);
    return text;
  }

 private:
  int fd_;
};

std::int64_t modified_ns(const struct stat& status) {
  return status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec;
}

void find_stall(ProfileSummary& summary, const Ledger& ledger) {
  double most_s = 0;
  for (const Part part : kParts) {
    if (part == Part::compute || !ledger[part] || !differs_from_zero(*ledger[part])) continue;
    if (ledger[part]->s <= most_s) continue;
    most_s = ledger[part]->s;
    summary.stall = part;
  }
  if (ledger.step.s > 0) summary.stall_ratio = most_s / ledger.step.s;
}

ProfileSummary summarize(const Profile& profile) {
  const Ledger ledger = attribute(profile);
  ProfileSummary summary{.model = printable(job_name(profile.job), true, kLongestText),
                         .batch = profile.job.batch,
                         .device = printable(profile.job.device.text(), true, kLongestText),
                         .ranks = profile.job.ranks,
                         .nodes = node_count(profile),
                         .step_s = ledger.step.s,
                         .stall = std::nullopt,
                         .stall_ratio = 0,
                         .complete = profile.complete};
  find_stall(summary, ledger);
  return summary;
}

}  // namespace

ProfileFolder::ProfileFolder(const std::filesystem::path& path)
    : path_(path), fd_(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (fd_ < 0)
    throw Error(fmt::format("cannot look into '{}': {}; name a folder of profiles", path.string(), reason()));
}

ProfileFolder::~ProfileFolder() { close(fd_); }

bool ProfileFolder::refresh(double budget_s) {
  const bool others = look();
  return read_new(budget_s) || others;
}

// What is gone is forgotten, what is new or other is noted to be read.
bool ProfileFolder::look() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(fdopendir(openat(fd_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
                                                   closedir);
  if (!folder) throw Error(fmt::format("cannot look into '{}': {}", path_.string(), reason()));
  std::set<std::string> seen;
  bool changed = false;
  left_out_ = 0;
  while (const dirent* entry = readdir(folder.get())) {
    const std::string name = entry->d_name;
    struct stat status{};
    if (!name.ends_with(".json") || name.starts_with('.')) continue;
    if (fstatat(fd_, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) continue;
    if (seen.size() == kMostFiles) {
      ++left_out_;
      continue;
    }
    seen.insert(name);
    Known& known = known_[name];
    if (known.inode == status.st_ino && known.bytes == status.st_size && known.modified_ns == modified_ns(status)) {
      continue;
    }
    known = {modified_ns(status), status.st_size, status.st_ino, false, {name, modified_ns(status), {}, {}}};
    changed = true;
  }
  return std::erase_if(known_, [&](const auto& one) { return !seen.contains(one.first); }) > 0 || changed;
}

bool ProfileFolder::read_new(double budget_s) {
  const std::int64_t end_ns = now_ns() + nanoseconds(budget_s);
  bool changed = false;
  for (auto& [name, known] : known_) {
    if (known.is_read) continue;
    if (now_ns() > end_ns) return true;
    known.is_read = changed = true;
    try {
      known.file.profile = summarize(profile_from_json_text(File(fd_, name).content(name)));
    } catch (const Error& error) {
      known.file.why_not = printable(error.what(), true, kLongestText);
    }
  }
  return changed;
}

std::vector<ListedFile> ProfileFolder::files() const {
  std::vector<ListedFile> files;
  for (const auto& [name, known] : known_) files.push_back(known.file);
  std::stable_sort(files.begin(), files.end(),
                   [](const ListedFile& a, const ListedFile& b) { return a.modified_ns > b.modified_ns; });
  return files;
}

Profile ProfileFolder::read(const std::string& name) const {
  if (!known_.contains(name)) throw Error(fmt::format("{} is not in the folder", name));
  return profile_from_json_text(File(fd_, name).content(name));
}

}  // namespace stash
