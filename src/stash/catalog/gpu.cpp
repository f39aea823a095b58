#include "stash/catalog/gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "stash/catalog/csv.h"
#include "stash/catalog/embedded_csv.h"
#include "stash/core/error.h"
#include "stash/core/words.h"

namespace stash {
namespace {

constexpr std::array<std::string_view, 3> kDTypeNames{"fp32", "fp16", "bf16"};
constexpr std::array<std::string_view, 9> kGenerations{"kepler", "maxwell", "pascal", "volta",    "turing",
                                                       "ampere", "ada",     "hopper", "blackwell"};
constexpr std::array<std::string_view, 9> kColumns{
    "name",   "generation", "fp32_ops_per_s", "fp16_ops_per_s", "bf16_ops_per_s", "memory_bytes", "memory_bytes_per_s",
    "source", "date"};

// The fields of one row, in the order of kColumns.
class GpuRowReader {
 public:
  GpuRowReader(const CsvRow& row, std::string_view source) : row_(row), source_(source) {}

  Gpu gpu() {
    Gpu gpu;
    gpu.name = text();
    gpu.generation = generation();
    gpu.fp32_ops_per_s = number();
    gpu.fp16_ops_per_s = number_if_any();
    gpu.bf16_ops_per_s = number_if_any();
    gpu.memory_bytes = static_cast<std::int64_t>(number());
    gpu.memory_bytes_per_s = number();
    gpu.source = text();
    gpu.date = text();
    return gpu;
  }

 private:
  [[noreturn]] void fail(std::string_view problem) const {
    throw Error(fmt::format("{} line {} ({}): {} {}", source_, row_.line, row_.fields[0], kColumns[at_ - 1], problem));
  }

  const std::string& next() { return row_.fields[at_++]; }

  std::string text() {
    const std::string& field = next();
    if (field.empty()) fail("is missing");
    return field;
  }

  Generation generation() {
    const std::string name = text();
    const auto found = std::ranges::find(kGenerations, name);
    if (found == kGenerations.end()) fail(fmt::format("'{}' is not known", name));
    return static_cast<Generation>(found - kGenerations.begin());
  }

  double number() {
    const std::string field = text();
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    const bool whole = error == std::errc() && end == field.data() + field.size();
    // Nothing in the table comes near the limit; it keeps whole numbers exact.
    constexpr double kLimit = 9e15;
    if (!whole || !std::isfinite(value) || value <= 0 || value > kLimit) {
      fail(fmt::format("is '{}'; it must be a number above 0 and up to {:g}", field, kLimit));
    }
    return value;
  }

  std::optional<double> number_if_any() {
    if (!row_.fields[at_].empty()) return number();
    ++at_;
    return std::nullopt;
  }

  const CsvRow& row_;
  std::string_view source_;
  std::size_t at_ = 0;
};

void check_name_is_new(const std::vector<Gpu>& gpus, const Gpu& gpu, const CsvRow& row, std::string_view source) {
  const auto same = [&](const Gpu& other) { return upper_case(other.name) == upper_case(gpu.name); };
  if (std::ranges::any_of(gpus, same)) {
    throw Error(fmt::format("{} line {}: '{}' is listed twice", source, row.line, gpu.name));
  }
}

}  // namespace

DType parse_dtype(std::string_view name, std::string_view option) {
  const auto found = std::ranges::find(kDTypeNames, name);
  if (found == kDTypeNames.end()) throw_unknown(option, name, kDTypeNames);
  return static_cast<DType>(found - kDTypeNames.begin());
}

std::string_view to_string(DType dtype) { return kDTypeNames[static_cast<std::size_t>(dtype)]; }

int element_bytes(DType dtype) { return dtype == DType::fp32 ? 4 : 2; }

double Gpu::ops_per_s(DType dtype) const {
  if (dtype == DType::fp32) return fp32_ops_per_s;
  const std::optional<double>& rate = dtype == DType::fp16 ? fp16_ops_per_s : bf16_ops_per_s;
  if (rate) return *rate;
  throw UsageError(fmt::format("{} has no {} support; use --dtype fp32{}", name, to_string(dtype),
                               fp16_ops_per_s ? " or fp16" : ""));
}

std::vector<Gpu> parse_gpus(std::string_view text, std::string_view source) {
  const CsvTable table = parse_csv(text, source);
  if (!std::ranges::equal(table.header, kColumns)) {
    throw Error(fmt::format("{}: the header must be the columns of catalog/gpus.csv, in that order", source));
  }
  std::vector<Gpu> gpus;
  for (const CsvRow& row : table.rows) {
    Gpu gpu = GpuRowReader(row, source).gpu();
    check_name_is_new(gpus, gpu, row, source);
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

std::span<const Gpu> gpu_table() {
  static const std::vector<Gpu> gpus = parse_gpus(kGpusCsv, "catalog/gpus.csv");
  return gpus;
}

const Gpu& find_gpu(std::string_view name) {
  const std::span<const Gpu> gpus = gpu_table();
  const std::string wanted = upper_case(name);
  std::vector<std::string_view> names;
  for (const Gpu& gpu : gpus) {
    if (upper_case(gpu.name) == wanted) return gpu;
    names.push_back(gpu.name);
  }
  throw_unknown("GPU", wanted, names);
}

}  // namespace stash
