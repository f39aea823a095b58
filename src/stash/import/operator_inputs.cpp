#include "stash/import/operator_inputs.h"

#include <charconv>
#include <cstdlib>

namespace stash {
namespace {

constexpr std::size_t kMostInputs = 64;
constexpr std::size_t kMostTensors = 512;  // of a list; a foreach operator has one for each parameter
constexpr std::size_t kMostDims = 16;
constexpr std::int64_t kMostElements = std::int64_t{1} << 62;

// Behind `"key":`, at the value; empty: there is none. A quote inside a string is escaped, so only a key matches.
std::string_view value_of(std::string_view text, std::string_view key) {
  std::string quoted;
  quoted.reserve(key.size() + 3);
  quoted.append("\"").append(key).append("\"");
  const std::size_t at = text.find(quoted);
  if (at == std::string_view::npos) return {};
  const std::size_t colon = text.find_first_not_of(" \n\r\t", at + quoted.size());
  if (colon == std::string_view::npos || text[colon] != ':') return {};
  const std::size_t value = text.find_first_not_of(" \n\r\t", colon + 1);
  return value == std::string_view::npos ? std::string_view{} : text.substr(value);
}

// Reads nested lists of numbers and strings, from the front of a text.
class ListReader {
 public:
  explicit ListReader(std::string_view text) : left_(text) {}

  bool take(char c) {
    skip();
    if (left_.empty() || left_.front() != c) return false;
    left_.remove_prefix(1);
    return true;
  }
  bool at(char c) {
    skip();
    return !left_.empty() && left_.front() == c;
  }
  std::optional<std::int64_t> number() {
    skip();
    std::int64_t value = 0;
    const auto read = std::from_chars(left_.data(), left_.data() + left_.size(), value);
    if (read.ec != std::errc{}) return std::nullopt;
    left_.remove_prefix(static_cast<std::size_t>(read.ptr - left_.data()));
    return value;
  }
  std::optional<std::string_view> string() {
    if (!take('"')) return std::nullopt;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      if (left_[i] == '\\') {
        ++i;
      } else if (left_[i] == '"') {
        const std::string_view text = left_.substr(0, i);
        left_.remove_prefix(i + 1);
        return text;
      }
    }
    return std::nullopt;
  }

 private:
  void skip() {
    const std::size_t at = left_.find_first_not_of(" \n\r\t");
    left_.remove_prefix(at == std::string_view::npos ? left_.size() : at);
  }

  std::string_view left_;
};

// [4, 3, 16, 16], [] for what is no tensor, or a list of such.
bool read_dims(ListReader& reader, std::vector<Dims>& tensors, int depth = 0) {
  if (depth > 2 || !reader.take('[')) return false;
  Dims dims;
  while (!reader.take(']')) {
    if (reader.at('[')) {
      if (tensors.size() >= kMostTensors || !read_dims(reader, tensors, depth + 1)) return false;
    } else {
      const std::optional<std::int64_t> extent = reader.number();
      if (!extent || *extent < 0 || dims.size() == kMostDims) return false;
      dims.push_back(*extent);
    }
    reader.take(',');
  }
  if (!dims.empty()) tensors.push_back(std::move(dims));
  return true;
}

void read_strings(std::string_view text, std::vector<std::string_view>& into) {
  ListReader reader(text);
  if (!reader.take('[')) return;
  while (!reader.take(']') && into.size() < kMostInputs) {
    const std::optional<std::string_view> one = reader.string();
    if (!one) return;
    into.push_back(*one);
    reader.take(',');
  }
}

}  // namespace

const Dims* OperatorInputs::tensor(std::size_t index) const {
  return index < inputs.size() && inputs[index].tensors.size() == 1 ? inputs[index].tensors.data() : nullptr;
}

std::optional<double> OperatorInputs::number(std::size_t index) const {
  if (index >= inputs.size() || inputs[index].value.empty()) return std::nullopt;
  const std::string text(inputs[index].value);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() ? std::nullopt : std::optional(value);
}

bool OperatorInputs::is_true(std::size_t index) const { return index < inputs.size() && inputs[index].value == "True"; }

std::vector<std::int64_t> OperatorInputs::list(std::size_t index, std::size_t most, std::int64_t otherwise) const {
  std::vector<std::int64_t> numbers;
  if (index < inputs.size()) {
    ListReader reader(inputs[index].value);
    reader.take('[');
    while (numbers.size() < most) {
      const std::optional<std::int64_t> one = reader.number();
      if (!one) break;
      numbers.push_back(*one);
      reader.take(',');
    }
  }
  numbers.resize(most, numbers.empty() ? otherwise : numbers.back());
  return numbers;
}

OperatorInputs operator_inputs(std::string_view arguments) {
  OperatorInputs result;
  ListReader reader(value_of(arguments, "Input Dims"));
  if (reader.take('[')) {
    while (!reader.take(']') && result.inputs.size() < kMostInputs) {
      OperatorInput input;
      if (!read_dims(reader, input.tensors)) break;
      result.inputs.push_back(std::move(input));
      reader.take(',');
    }
  }
  std::vector<std::string_view> types, values;
  read_strings(value_of(arguments, "Input type"), types);
  read_strings(value_of(arguments, "Concrete Inputs"), values);
  for (std::size_t i = 0; i < result.inputs.size(); ++i) {
    if (i < types.size()) result.inputs[i].type = types[i];
    if (i < values.size()) result.inputs[i].value = values[i];
  }
  return result;
}

std::optional<std::int64_t> argument_number(std::string_view arguments, std::string_view key) {
  return ListReader(value_of(arguments, key)).number();
}

std::int64_t element_count_of(const Dims& dims) {
  std::int64_t count = 1;
  for (const std::int64_t extent : dims) {
    if (extent == 0) return 0;
    if (count > kMostElements / extent) return kMostElements;
    count *= extent;
  }
  return count;
}

}  // namespace stash
