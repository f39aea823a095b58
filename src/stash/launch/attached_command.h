#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "stash/launch/process/foreground.h"
#include "stash/launch/protocol/script_order.h"

namespace stash {

// How far Stash came with a command's processes.
enum class Attached { no_python, no_torch, no_step, trained };

struct AttachedOptions {
  std::vector<std::string> command;
  std::filesystem::path package_folder;  // holds the Python packages stash and attach
  // A line that a process of the command reported; `file` tells processes apart.
  std::function<void(const std::string& file, std::string_view line)> on_line;
  std::function<void()> on_tick;
};

struct AttachedEnd {
  ForegroundEnd end;
  Attached attached = Attached::no_python;  // never `trained`: what ranks report tells that
};

// Runs the user's command in the foreground with hooks in every Python process of it, which are told the order.
AttachedEnd run_attached(const AttachedOptions& options, const ScriptOrder& order);

}  // namespace stash
