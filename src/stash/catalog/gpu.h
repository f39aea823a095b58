#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stash {

enum class DType { fp32, fp16, bf16 };
inline constexpr std::array kDTypes{DType::fp32, DType::fp16, DType::bf16};
// UsageError names the option and the nearest.
DType parse_dtype(std::string_view name, std::string_view option = "--dtype");
std::string_view to_string(DType dtype);
int element_bytes(DType dtype);  // of an activation

enum class Generation { kepler, maxwell, pascal, volta, turing, ampere, ada, hopper, blackwell };

// A GPU as its vendor describes it. Rates are dense peaks; fp32 is that of the ordinary units, without TF32;
// fp16 and bf16 are those of the tensor cores where there are any, nullopt where the chip does not compute with it.
// The vendor's gigabytes of memory are taken as GiB, which is what the chips hold.
struct Gpu {
  std::string name;
  Generation generation = Generation::kepler;
  double fp32_ops_per_s = 0;
  std::optional<double> fp16_ops_per_s;
  std::optional<double> bf16_ops_per_s;
  std::int64_t memory_bytes = 0;
  double memory_bytes_per_s = 0;
  std::string source;
  std::string date;  // year of the source

  double ops_per_s(DType dtype) const;  // UsageError names the types that the chip has
};

// The GPUs of catalog/gpus.csv, which is part of the program.
std::span<const Gpu> gpu_table();

// Upper and lower case are the same. UsageError names the nearest; the result lives as long as the program.
const Gpu& find_gpu(std::string_view name);

// Rows in the form of catalog/gpus.csv; `source` names the text. Error names the line of a figure that is missing
// or not positive.
std::vector<Gpu> parse_gpus(std::string_view text, std::string_view source);

}  // namespace stash
