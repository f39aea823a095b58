#include "stash/serve/protocol/tensor_numbers.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace stash {
namespace {

using Json = nlohmann::json;

template <class T>
void append_as(T number, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <class T>
T read_as(const char* bytes) {
  T number{};
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

// To the nearest, ties to even.
std::uint16_t bf16_of(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  if (std::isnan(number)) return 0x7fc0;
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

std::uint16_t fp16_of(float number) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(number) ? 0x8000 : 0);
  const float size = std::fabs(number);
  if (std::isnan(number)) return 0x7e00;
  if (size >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7c00);
  if (size < 0x1p-14F) return static_cast<std::uint16_t>(sign | static_cast<int>(std::nearbyint(size * 0x1p24F)));
  int exponent = 0;
  const float fraction = std::frexp(size, &exponent);  // in [0.5, 1)
  const auto mantissa = static_cast<int>(std::nearbyint((fraction * 2 - 1) * 1024));
  return static_cast<std::uint16_t>(sign | (((exponent + 14) << 10) + mantissa));
}

float float_of_fp16(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 31) {
    return mantissa != 0 ? std::numeric_limits<float>::quiet_NaN() : sign * std::numeric_limits<float>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  return sign * std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
}

std::int64_t least_of(const TensorType& type) {
  if (type.name.front() != 'I') return 0;
  return type.bytes == 8 ? std::numeric_limits<std::int64_t>::min() : -(std::int64_t{1} << (8 * type.bytes - 1));
}

std::uint64_t most_of(const TensorType& type) {
  if (type.name == "BOOL") return 1;
  const auto bits = static_cast<unsigned>(8 * type.bytes) - (type.name.front() == 'I' ? 1 : 0);
  return bits == 64 ? std::numeric_limits<std::uint64_t>::max() : (std::uint64_t{1} << bits) - 1;
}

}  // namespace

bool is_number_for(const Json& value, const TensorType& type) {
  if (type.is_float) return value.is_number();
  if (type.name == "BOOL" && value.is_boolean()) return true;
  if (value.is_number_unsigned()) return value.get<std::uint64_t>() <= most_of(type);
  return value.is_number_integer() && value.get<std::int64_t>() >= least_of(type) && value.get<std::int64_t>() < 0;
}

void append_number(const Json& value, const TensorType& type, std::string& bytes) {
  if (type.name == "FP64") return append_as(value.get<double>(), bytes);
  if (type.name == "FP32") return append_as(static_cast<float>(value.get<double>()), bytes);
  if (type.name == "FP16") return append_as(fp16_of(static_cast<float>(value.get<double>())), bytes);
  if (type.name == "BF16") return append_as(bf16_of(static_cast<float>(value.get<double>())), bytes);
  // The low bytes are those of the smaller type.
  const std::uint64_t number = value.is_boolean()           ? static_cast<std::uint64_t>(value.get<bool>())
                               : value.is_number_unsigned() ? value.get<std::uint64_t>()
                                                            : static_cast<std::uint64_t>(value.get<std::int64_t>());
  bytes.append(reinterpret_cast<const char*>(&number), static_cast<std::size_t>(type.bytes));
}

Json number_at(const char* bytes, const TensorType& type) {
  if (type.is_float) {
    const double number = type.name == "FP64"   ? read_as<double>(bytes)
                          : type.name == "FP32" ? static_cast<double>(read_as<float>(bytes))
                          : type.name == "FP16" ? static_cast<double>(float_of_fp16(read_as<std::uint16_t>(bytes)))
                                                : static_cast<double>(std::bit_cast<float>(
                                                      static_cast<std::uint32_t>(read_as<std::uint16_t>(bytes)) << 16));
    if (!std::isfinite(number)) return {};
    return type.name == "FP64" ? Json(number) : Json(static_cast<float>(number));
  }
  if (type.name == "BOOL") return read_as<std::uint8_t>(bytes) != 0;
  std::uint64_t number = 0;
  std::memcpy(&number, bytes, static_cast<std::size_t>(type.bytes));
  if (type.name.front() != 'I') return number;
  const auto unused = static_cast<unsigned>(64 - 8 * type.bytes);
  return static_cast<std::int64_t>(number << unused) >> unused;
}

}  // namespace stash
