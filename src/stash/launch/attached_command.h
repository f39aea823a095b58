#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "stash/launch/foreground.h"

namespace stash {

// How far Stash came with a command's processes.
enum class Attached { no_python, no_torch, no_step, trained };

struct AttachedOptions {
  std::vector<std::string> command;
  std::string mode;                      // run | watch
  std::filesystem::path package_folder;  // holds the Python packages stash and attach
  std::string data;                      // that the script reads; empty: unknown
  // A line that a process of the command reported; `file` tells processes apart.
  std::function<void(const std::string& file, std::string_view line)> on_line;
  std::function<void()> on_tick;
};

struct AttachedEnd {
  ForegroundEnd end;
  Attached attached = Attached::no_python;  // never `trained`: what ranks report tells that
};

// Runs somebody's command in the foreground with hooks in every Python process of it. `settings` is what the hooks
// are told.
AttachedEnd run_attached(const AttachedOptions& options, const nlohmann::json& settings);

}  // namespace stash
