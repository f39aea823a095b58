#include "stash/input/sample_maker.h"

#include <fmt/format.h>

#include <cstring>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/input/image/image_maker.h"

namespace stash {

namespace {

class TokenMaker final : public SampleMaker {
 public:
  explicit TokenMaker(const SampleSpec& spec)
      : count_(static_cast<std::size_t>(spec.seq_len) + 1), vocabulary_(spec.classes) {}

  void make(std::span<const std::uint8_t> bytes, std::uint64_t, void* out, MakeTime& time) override {
    const std::int64_t start_ns = now_ns();
    auto* const ids = static_cast<std::int64_t*>(out);
    if (bytes.size() == count_ * sizeof(std::uint16_t)) {
      widen<std::uint16_t>(bytes, ids);
    } else {
      widen<std::uint32_t>(bytes, ids);
    }
    time.decode_ns += now_ns() - start_ns;
  }

 private:
  template <class Id>
  void widen(std::span<const std::uint8_t> bytes, std::int64_t* ids) const {
    std::int64_t largest = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      Id id = 0;
      std::memcpy(&id, bytes.data() + i * sizeof(Id), sizeof(Id));
      ids[i] = id;
      largest = std::max(largest, ids[i]);
    }
    if (vocabulary_ > 0 && largest >= vocabulary_) {
      throw Error(fmt::format("the token file holds id {}, the model knows {}; use a file made for its vocabulary",
                              largest, vocabulary_));
    }
  }

  std::size_t count_;
  std::int64_t vocabulary_;
};

}  // namespace

std::size_t SampleSpec::bytes() const {
  if (kind == InputKind::tokens) return (static_cast<std::size_t>(seq_len) + 1) * sizeof(std::int64_t);
  const auto side = static_cast<std::size_t>(image_size);
  return 3 * side * side * sizeof(float);
}

std::unique_ptr<SampleMaker> make_sample_maker(const SampleSpec& spec) {
  if (spec.kind == InputKind::tokens) return std::make_unique<TokenMaker>(spec);
  return std::make_unique<ImageMaker>(spec.image_size);
}

}  // namespace stash
