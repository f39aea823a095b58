#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stash {

// What a script was seen to be, on rank 0; nothing of it is guessed.
struct ScriptFacts {
  std::string input;            // the function that --input named, if its batches were measured
  std::int64_t parameters = 0;  // numbers that its optimizers update, on all ranks together where they are sharded
  std::vector<std::string> optimizers;            // "AdamW"
  std::vector<std::string> stored_as;             // types of the parameters
  std::vector<std::string> autocast;              // types that it was entered with
  std::vector<std::string> wrappers;              // "DDP", "FSDP", "FSDP1", "compile"
  std::optional<std::int64_t> peak_memory_bytes;  // of a GPU, or of the process without one; absent: not read yet
  bool operator==(const ScriptFacts&) const = default;
};

}  // namespace stash
