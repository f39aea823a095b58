#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "stash/input/sample_reader.h"
#include "stash/models/graph.h"

namespace stash {

struct SampleSpec {
  InputKind kind = InputKind::images;
  int image_size = 0;        // pixels, images
  int seq_len = 0;           // tokens
  std::int64_t classes = 0;  // labels or ids at or above it are an Error; 0: not checked

  std::size_t bytes() const;  // of a prepared sample
};

// Seconds of a sample are told apart where they are spent.
struct MakeTime {
  std::int64_t decode_ns = 0;
  std::int64_t augment_ns = 0;
};

// Turns the bytes of a sample into what the model takes. One per worker: keeps its buffers.
class SampleMaker {
 public:
  virtual ~SampleMaker() = default;
  // Writes SampleSpec::bytes() to `out`. Throws BrokenSample.
  virtual void make(std::span<const std::uint8_t> bytes, std::uint64_t seed, void* out, MakeTime& time) = 0;
};

std::unique_ptr<SampleMaker> make_sample_maker(const SampleSpec& spec);

}  // namespace stash
