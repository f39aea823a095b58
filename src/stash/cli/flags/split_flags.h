#pragma once

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace stash {

struct GptSearch;

// How a language model is split; what is not given is open.
class SplitFlags {
 public:
  void add_to(CLI::App& app);
  bool any() const;
  GptSearch search() const;  // split_search.cpp; UsageError names the flag at fault

 private:
  std::optional<int> data_, tensor_, pipeline_, shards_, interleave_, micro_batch_;
  std::optional<std::string> recompute_;
  std::optional<bool> sequence_parallel_, shard_optimizer_;
};

}  // namespace stash
