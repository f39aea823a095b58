#pragma once

#include <array>
#include <cstdint>
#include <cstdio>

// jpeglib.h needs stdio.h before it.
#include <jpeglib.h>

#include "stash/input/jpeg/baseline_scan.h"
#include "stash/input/jpeg/plane.h"

namespace stash {

// Decodes files of the common kind (baseline, one scan, no restart markers) whose header libjpeg has read. Keeps its
// tables: most files have the same ones.
class BaselineFile {
 public:
  // Whether `info`, after jpeg_read_header, is such a file and this processor has what it takes.
  static bool is_baseline(const jpeg_decompress_struct& info);

  // Writes the MCUs of the area to `out`, one for each component. False: leave the file to libjpeg.
  bool decode(const jpeg_decompress_struct& info, const ScanArea& area, const std::array<std::uint8_t*, 3>& out,
              const std::array<Plane, 3>& planes);

 private:
  // A table and what it was made of.
  struct Table {
    bool valid = false;
    std::array<std::uint8_t, 17> counts{};
    std::array<std::uint8_t, 256> symbols{};
    HuffmanTable table;
  };

  static const HuffmanTable* built(Table& table, HuffmanTable::Kind kind, const JHUFF_TBL* source);

  std::array<Table, NUM_HUFF_TBLS> dc_;
  std::array<Table, NUM_HUFF_TBLS> ac_;
  std::array<ScanComponent, 3> components_;
  BaselineScan scan_;
};

}  // namespace stash
