#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "stash/input/jpeg/block_transform.h"
#include "stash/input/jpeg/huffman_table.h"

namespace stash {

// One component of a baseline scan and where its samples go.
struct ScanComponent {
  const HuffmanTable* dc = nullptr;
  const HuffmanTable* ac = nullptr;
  BlockScale scale;
  int blocks_across = 1;  // of an MCU
  int blocks_down = 1;
  std::uint8_t* out = nullptr;  // the top left sample of the kept MCUs
  std::int64_t stride = 0;
};

// Which MCUs are transformed, half-open; all MCUs above the last row are decoded, none below.
struct ScanArea {
  int mcus_across = 0;  // of the image
  int first_row = 0;
  int last_row = 0;
  int first_column = 0;
  int last_column = 0;
};

// Decodes the only scan of a baseline JPEG file without restart markers, as most files are, twice as fast as
// libjpeg does. Keeps its buffer.
class BaselineScan {
 public:
  // `data` starts with the first coded byte. False when the scan is damaged or ends too early; libjpeg then says
  // what to make of it. What was written to the components by then is worth nothing.
  bool decode(std::span<const std::uint8_t> data, std::span<const ScanComponent> components, const ScanArea& area,
              TransformBlock transform);

 private:
  void unstuff(std::span<const std::uint8_t> data);

  std::vector<std::uint8_t> bytes_;  // without what JPEG puts between
  std::size_t size_ = 0;
};

}  // namespace stash
