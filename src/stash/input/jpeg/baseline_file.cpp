#include "stash/input/jpeg/baseline_file.h"

#include <algorithm>

namespace stash {

bool BaselineFile::is_baseline(const jpeg_decompress_struct& info) {
  const int count = info.num_components;
  if (avx2_transform() == nullptr || info.progressive_mode || info.arith_code || info.restart_interval != 0)
    return false;
  if (info.data_precision != 8 || info.comps_in_scan != count || (count != 1 && count != 3)) return false;
  // The blocks of a single component are not interleaved, whatever its sampling factors say.
  if (count == 1 && (info.comp_info[0].h_samp_factor != 1 || info.comp_info[0].v_samp_factor != 1)) return false;
  for (int i = 0; i < count; ++i) {
    if (info.cur_comp_info[i] != &info.comp_info[i]) return false;
  }
  return info.Ss == 0 && info.Se == DCTSIZE2 - 1;
}

const HuffmanTable* BaselineFile::built(Table& table, HuffmanTable::Kind kind, const JHUFF_TBL* source) {
  if (source == nullptr) return nullptr;
  if (!std::equal(table.counts.begin(), table.counts.end(), source->bits) ||
      !std::equal(table.symbols.begin(), table.symbols.end(), source->huffval)) {
    std::copy_n(source->bits, table.counts.size(), table.counts.begin());
    std::copy_n(source->huffval, table.symbols.size(), table.symbols.begin());
    table.valid = table.table.build(kind, table.counts, table.symbols);
  }
  return table.valid ? &table.table : nullptr;
}

bool BaselineFile::decode(const jpeg_decompress_struct& info, const ScanArea& area,
                          const std::array<std::uint8_t*, 3>& out, const std::array<Plane, 3>& planes) {
  const auto count = static_cast<std::size_t>(info.num_components);
  for (std::size_t i = 0; i < count; ++i) {
    const jpeg_component_info& c = info.comp_info[i];
    const auto dc = static_cast<std::size_t>(c.dc_tbl_no), ac = static_cast<std::size_t>(c.ac_tbl_no);
    if (dc >= dc_.size() || ac >= ac_.size() || c.quant_tbl_no < 0 || c.quant_tbl_no >= NUM_QUANT_TBLS) return false;
    const JQUANT_TBL* const quantisation = info.quant_tbl_ptrs[c.quant_tbl_no];
    ScanComponent& component = components_[i];
    component.dc = built(dc_[dc], HuffmanTable::Kind::dc, info.dc_huff_tbl_ptrs[dc]);
    component.ac = built(ac_[ac], HuffmanTable::Kind::ac, info.ac_huff_tbl_ptrs[ac]);
    if (component.dc == nullptr || component.ac == nullptr || quantisation == nullptr) return false;
    component.scale = BlockScale::of(quantisation->quantval);
    component.blocks_across = c.h_samp_factor;
    component.blocks_down = c.v_samp_factor;
    component.out = out[i];
    component.stride = planes[i].stride;
  }
  return scan_.decode({info.src->next_input_byte, info.src->bytes_in_buffer}, {components_.data(), count}, area,
                      avx2_transform());
}

}  // namespace stash
