#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace stash {

enum class KernelKind { compute, communication };

// What a GPU kernel's name tells.
struct KernelName {
  KernelKind kind = KernelKind::compute;  // also where the name is not recognised
  bool recognised = false;
  std::string_view collective = {};  // "all_reduce", …; empty: computes, or the name does not say which
};

// Names of NCCL and RCCL before and since 2.18, of other libraries' collectives, and families of compute kernels.
KernelName classify_kernel(std::string_view name);

// Every name is looked at once.
class KernelNames {
 public:
  const KernelName& find(std::string_view name);
  // Up to this many names that were not recognised, in the order of the trace.
  static constexpr std::size_t kUnrecognisedKept = 20;
  const std::vector<std::string>& unrecognised() const { return unrecognised_; }

 private:
  // Looks at the ends and the length only: names are long, and few.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const;
  };

  static constexpr std::size_t kMostNames = 50'000;  // a trace has hundreds; more are classified each time
  std::unordered_map<std::string, KernelName, Hash, std::equal_to<>> known_;
  KernelName latest_;  // of a name that is not kept
  std::vector<std::string> unrecognised_;
};

}  // namespace stash
