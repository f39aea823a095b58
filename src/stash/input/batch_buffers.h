#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace stash {

// Memory for batches: for each slot the samples behind each other and one label for each.
class BatchBuffers {
 public:
  using Allocate = std::function<std::shared_ptr<void>(std::size_t bytes)>;

  // `allocate` may be empty: then it is ordinary memory. Error when there is not enough, saying how much there is.
  BatchBuffers(int slots, int batch, std::size_t sample_bytes, const Allocate& allocate);

  void* sample(int slot, int place) const;
  void* samples(int slot) const { return sample(slot, 0); }
  std::int64_t* labels(int slot) const;

 private:
  std::size_t sample_bytes_;
  std::size_t labels_at_;
  std::vector<std::shared_ptr<void>> blocks_;
};

}  // namespace stash
