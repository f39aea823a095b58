#include "stash/input/jpeg/baseline_scan.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "stash/input/kept_buffer.h"

namespace stash {

namespace {

static_assert(std::endian::native == std::endian::little, "bytes are swapped to get the first bit on top");

constexpr int kLongestCodeAndValue = 31;  // bits

// A block has at most 64 codes. The scan is followed by more zeros than they have bits,
// so that its end needs to be looked for only once a block.
constexpr std::size_t kZerosBehind = 1024;

// Shifts by a number that is only known then are what decoding mostly does; processors with AVX2 have fast ones.
#if defined(__x86_64__)
#define STASH_BMI2 [[gnu::target("bmi2"), gnu::flatten]]
#else
#define STASH_BMI2
#endif

class BitReader {
 public:
  BitReader(const std::uint8_t* begin, const std::uint8_t* end) : at_(begin), end_(end) {}

  // Afterwards at least 56 bits are there, more than any code with its value has.
  void refill() {
    std::uint64_t next = 0;
    std::memcpy(&next, at_, sizeof(next));
    bits_ |= __builtin_bswap64(next) >> count_;
    at_ += (63 - count_) >> 3;
    count_ |= 56;
  }
  std::uint64_t bits() const { return bits_; }
  void skip(int count) {
    bits_ <<= count;
    count_ -= count;
  }
  // The value of a code: its bits, and negative where the first one is 0.
  int value(const HuffmanEntry& entry) const {
    const std::uint64_t after_code = bits_ << entry.code_bits;
    const auto raw = static_cast<int>((after_code >> 1) >> (63 - entry.value_bits));
    const auto negative = static_cast<int>(~after_code >> 63);
    return raw - negative * ((1 << entry.value_bits) - 1);
  }
  bool has_longest_code() const { return count_ >= kLongestCodeAndValue; }
  bool is_behind_the_end() const { return at_ - (count_ >> 3) > end_; }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
  std::uint64_t bits_ = 0;
  int count_ = 0;
};

struct alignas(32) Block {
  std::array<std::int16_t, kBlockPlaces> coefficients;
};

// One code of the coefficients behind the first, number k and up; false when it is not in its table.
template <bool keep>
inline bool decode_coefficient(BitReader& reader, const HuffmanTable& table, Block& block, unsigned& k) {
  const HuffmanEntry entry = table.look_up(reader.bits());
  if (entry.code_bits == 0) return false;
  k += entry.run;
  if constexpr (keep) block.coefficients[kPlaceOfCoefficient[k]] = static_cast<std::int16_t>(reader.value(entry));
  reader.skip(entry.total_bits);
  ++k;
  return true;
}

// Decodes a block; false when a code is not in its table or the scan ended. `keep`: the coefficients are wanted.
template <bool keep>
bool decode_block(BitReader& reader, const ScanComponent& component, int& last_dc, Block& block) {
  reader.refill();
  const HuffmanEntry first = component.dc->look_up(reader.bits());
  if (first.code_bits == 0) return false;
  last_dc += reader.value(first);
  reader.skip(first.total_bits);
  if (last_dc < INT16_MIN || last_dc > INT16_MAX) return false;
  if constexpr (keep) {
    block.coefficients.fill(0);
    block.coefficients[0] = static_cast<std::int16_t>(last_dc);
  }
  for (unsigned k = 1; k < 64;) {
    reader.refill();
    if (!decode_coefficient<keep>(reader, *component.ac, block, k)) return false;
    // Most codes are so short that a second and a third one need no more bits.
    for (int more = 0; more < 2 && k < 64; ++more) {
      if (!reader.has_longest_code()) break;
      if (!decode_coefficient<keep>(reader, *component.ac, block, k)) return false;
    }
  }
  return !reader.is_behind_the_end();
}

class ScanDecoder {
 public:
  ScanDecoder(std::span<const ScanComponent> components, const ScanArea& area, TransformBlock transform)
      : components_(components), area_(area), transform_(transform) {}

  STASH_BMI2 bool run(BitReader reader) {
    for (int row = 0; row < area_.last_row; ++row) {
      for (int column = 0; column < area_.mcus_across; ++column) {
        const bool keep = row >= area_.first_row && column >= area_.first_column && column < area_.last_column;
        if (!decode_mcu(reader, row - area_.first_row, column - area_.first_column, keep)) return false;
      }
    }
    return true;
  }

 private:
  bool decode_mcu(BitReader& reader, int row, int column, bool keep) {
    for (std::size_t i = 0; i < components_.size(); ++i) {
      const ScanComponent& c = components_[i];
      for (int y = 0; y < c.blocks_down; ++y) {
        for (int x = 0; x < c.blocks_across; ++x) {
          if (!keep) {
            if (!decode_block<false>(reader, c, last_dc_[i], block_)) return false;
            continue;
          }
          if (!decode_block<true>(reader, c, last_dc_[i], block_)) return false;
          const std::int64_t left = 8 * (column * c.blocks_across + x);
          const std::int64_t top = 8 * (row * c.blocks_down + y);
          transform_(block_.coefficients.data(), c.scale, c.out + top * c.stride + left, c.stride);
        }
      }
    }
    return true;
  }

  std::span<const ScanComponent> components_;
  const ScanArea& area_;
  TransformBlock transform_;
  std::array<int, 3> last_dc_{};
  Block block_;
};

#undef STASH_BMI2

}  // namespace

bool BaselineScan::decode(std::span<const std::uint8_t> data, std::span<const ScanComponent> components,
                          const ScanArea& area, TransformBlock transform) {
  unstuff(data);
  return ScanDecoder(components, area, transform).run({bytes_.data(), bytes_.data() + size_});
}

// A byte of 255 is followed by a zero that means nothing, or by a marker, which ends the scan.
void BaselineScan::unstuff(std::span<const std::uint8_t> data) {
  grow_kept(bytes_, data.size() + kZerosBehind);
  std::uint8_t* out = bytes_.data();
  const std::uint8_t* in = data.data();
  const std::uint8_t* const end = in + data.size();
  while (in < end) {
    const auto* const found =
        static_cast<const std::uint8_t*>(std::memchr(in, 0xff, static_cast<std::size_t>(end - in)));
    const std::uint8_t* const stop = found != nullptr ? found : end;
    out = std::copy(in, stop, out);
    if (found == nullptr || stop + 1 >= end || stop[1] != 0) break;
    *out++ = 0xff;
    in = stop + 2;
  }
  size_ = static_cast<std::size_t>(out - bytes_.data());
  std::memset(out, 0, kZerosBehind);
}

}  // namespace stash
