#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "stash/core/job.h"
#include "stash/launch/pool/pool_seat.h"

namespace stash {

// What the hooks in the user's command are told.
struct ScriptOrder {
  std::string program;                    // ourselves: ranks ask it for the extension
  bool watch = false;                     // counts what goes by, and measures nothing
  bool keep_training = false;             // after measuring, as if nothing had happened
  bool records_work = false;              // a few steps by torch's profiler, before measuring
  bool tries = false;                     // fixes, beside the conditions
  std::optional<std::string> input = {};  // the function that returns batches; absent: a loader is looked for
  std::optional<PoolSeat> pool = {};      // shares the loaders' workers, and measures nothing
  std::optional<std::string> data;        // absolute; absent: files are noticed when samples are read
  Job job;                                // how it is measured; what is trained the script shows
};

void write_script_order(const std::filesystem::path& path, const ScriptOrder& order);
ScriptOrder read_script_order(const std::filesystem::path& path);

}  // namespace stash
