#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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

// Remembers the names that it has seen, so that each is looked at once. Its memory has a limit.
class KernelNames {
 public:
  // Looks at the first kLongest_bytes. Holds until the next call.
  const KernelName& find(std::string_view name);
  static constexpr std::size_t kLongest_bytes = 4096;
  // Up to this many names that were not recognised, in the order of the trace.
  static constexpr std::size_t kUnrecognisedKept = 20;
  const std::vector<std::string>& unrecognised() const { return unrecognised_; }

 private:
  // Found by hash; a name whose places are all taken is classified each time.
  struct Entry {
    std::string name;
    KernelName is;
    bool taken = false;
  };

  const KernelName& classify(std::string_view name);

  std::vector<Entry> table_;
  KernelName latest_;  // of a name that is not kept
  std::vector<std::string> unrecognised_;
};

}  // namespace stash
