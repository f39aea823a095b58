#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "stash/battery/battery.h"
#include "stash/core/profile.h"

namespace stash {

// What a battery leaves behind, each file whole or not at all: battery.json (the plan), cases/NAME.json (a profile
// each), failed/NAME.json (why a case failed), machine.json, machine.csv, summary.json, summary.csv, summary.html,
// log.jsonl.
class BatteryFolder {
 public:
  // Does not touch the disk.
  explicit BatteryFolder(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path file(const std::string& name) const { return path_ / name; }
  std::filesystem::path profile_file(const std::string& name) const { return path_ / "cases" / (name + ".json"); }

  void make() const;  // the folder and those inside it
  void tidy() const;  // removes what a killed battery left half written; only for who has the folder's lock

  std::optional<Battery> plan() const;  // nullopt: there is none. Error: it is damaged
  void write_plan(const Battery& battery) const;

  // The profile of the case: complete, of this very job, with enough rounds for a ledger. nullopt: it is not finished.
  std::optional<Profile> finished(const Case& one) const;
  void write_finished(const Case& one, const Profile& profile) const;

  std::optional<std::string> failure(const Case& one) const;  // why it failed; nullopt: it did not
  void write_failure(const Case& one, const std::string& why) const;
  void forget_failure(const Case& one) const;

  std::vector<std::string> profile_names() const;  // of all files in cases/, sorted

 private:
  std::filesystem::path failure_file(const Case& one) const { return path_ / "failed" / (one.name + ".json"); }

  std::filesystem::path path_;
};

}  // namespace stash
