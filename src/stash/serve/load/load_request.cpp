#include "stash/serve/load/load_request.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "stash/core/error.h"
#include "stash/serve/protocol/tensor_type.h"

namespace stash {
namespace {

constexpr std::int64_t kMostTensorBytes = 256 << 20;

const TensorType& type_named(const std::string& name) {
  const TensorType* const found = find_tensor_type(name);
  if (found != nullptr) return *found;
  throw Error(fmt::format("the model has an input of type {}, which this client cannot make", name));
}

// One sample: a first dimension of any size is the batch, others of any size are 1 long.
std::vector<std::int64_t> sample_shape(const nlohmann::json& shape) {
  std::vector<std::int64_t> made;
  for (const auto& one : shape) made.push_back(one.get<std::int64_t>() < 0 ? 1 : one.get<std::int64_t>());
  return made;
}

std::int64_t elements_of(std::span<const std::int64_t> shape, const TensorType& type) {
  std::int64_t count = 1;
  for (const std::int64_t one : shape) {
    if (one < 1 || count > kMostTensorBytes / type.bytes / one) {
      throw Error("the model has an input that is empty or larger than 256 MB");
    }
    count *= one;
  }
  return count;
}

// Numbers from 0 to 1, and 0 or 1 where they are whole: valid pixels, tokens and flags.
void append_bytes(std::string& bytes, const TensorType& type, std::int64_t count, std::mt19937_64& random) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::array<char, 8> one{};
    const std::uint64_t drawn = random();
    const auto ratio = static_cast<double>(drawn >> 11) * 0x1p-53;
    if (!type.is_float) one[0] = static_cast<char>(drawn & 1);
    if (type.name == "FP64") std::memcpy(one.data(), &ratio, 8);
    const auto single = static_cast<float>(ratio);
    if (type.name == "FP32") std::memcpy(one.data(), &single, 4);
    if (type.name == "BF16") std::memcpy(one.data(), reinterpret_cast<const char*>(&single) + 2, 2);
    // A half whose exponent is that of 0.5: from 0.5 to 1.
    const auto half = static_cast<std::uint16_t>(0x3800 | (drawn & 0x3ff));
    if (type.name == "FP16") std::memcpy(one.data(), &half, 2);
    bytes.append(one.data(), static_cast<std::size_t>(type.bytes));
  }
}

nlohmann::json json_data(const TensorType& type, std::int64_t count, std::mt19937_64& random) {
  nlohmann::json data = nlohmann::json::array();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t drawn = random();
    if (type.name == "BOOL") {
      data.push_back((drawn & 1) != 0);
    } else if (type.is_float) {
      data.push_back(static_cast<double>(drawn >> 53) / 2048);
    } else {
      data.push_back(drawn & 1);
    }
  }
  return data;
}

std::string head(const LoadTarget& target, std::string_view type, std::size_t bytes, std::string_view more) {
  return fmt::format("POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}\r\n", target.path,
                     target.authority(), type, bytes, more);
}

nlohmann::json inputs_of(std::string_view metadata) {
  const nlohmann::json json = nlohmann::json::parse(metadata, nullptr, false);
  if (!json.is_object() || !json.contains("inputs") || !json["inputs"].is_array() || json["inputs"].empty()) {
    throw Error("the server does not list the model's inputs: it does not speak the Open Inference Protocol");
  }
  return json["inputs"];
}

}  // namespace

std::string post_request(const LoadTarget& target, std::string_view type, std::string_view body) {
  return head(target, type, body.size(), "") + std::string(body);
}

std::string infer_request(const LoadTarget& target, std::string_view metadata, TensorForm form, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  nlohmann::json message{{"inputs", nlohmann::json::array()}};
  std::string tensors;
  try {
    for (const auto& input : inputs_of(metadata)) {
      const TensorType& type = type_named(input.at("datatype").get<std::string>());
      const std::vector<std::int64_t> shape = sample_shape(input.at("shape"));
      const std::int64_t count = elements_of(shape, type);
      nlohmann::json one{{"name", input.at("name").get<std::string>()}, {"datatype", type.name}, {"shape", shape}};
      if (form == TensorForm::json) {
        one["data"] = json_data(type, count, random);
      } else {
        one["parameters"] = {{"binary_data_size", count * type.bytes}};
        append_bytes(tensors, type, count, random);
      }
      message["inputs"].push_back(std::move(one));
    }
  } catch (const nlohmann::json::exception&) {
    throw Error("the server's list of the model's inputs lacks a name, a datatype or a shape");
  }
  if (form == TensorForm::json) return post_request(target, "application/json", message.dump());
  message["parameters"] = {{"binary_data_output", true}};
  const std::string text = message.dump();
  return head(target, "application/octet-stream", text.size() + tensors.size(),
              fmt::format("Inference-Header-Content-Length: {}\r\n", text.size())) +
         text + tensors;
}

std::string metadata_request(const LoadTarget& target) {
  return fmt::format("GET /v2/models/{} HTTP/1.1\r\nHost: {}\r\n\r\n", target.model, target.authority());
}

}  // namespace stash
