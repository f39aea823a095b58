#include "stash/serve/load/load_request.h"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr std::string_view kMetadata =
    R"({"name": "m", "inputs": [{"name": "x", "datatype": "FP32", "shape": [-1, 2, 3]},
                                {"name": "ids", "datatype": "INT64", "shape": [-1, 4]}]})";

struct Parts {
  std::string head;
  nlohmann::json message;
  std::string tensors;
};

Parts parts_of(const std::string& request) {
  const std::size_t end = request.find("\r\n\r\n") + 4;
  Parts parts{.head = request.substr(0, end), .message = {}, .tensors = {}};
  const std::string name = "Inference-Header-Content-Length: ";
  const std::size_t at = parts.head.find(name);
  const std::size_t size =
      at == std::string::npos ? request.size() - end : std::stoul(parts.head.substr(at + name.size()));
  parts.message = nlohmann::json::parse(request.substr(end, size));
  parts.tensors = request.substr(end + size);
  return parts;
}

TEST(LoadRequest, ABinaryRequestHasOneSampleOfEveryInput) {
  const LoadTarget target = parse_load_target("localhost:8000/m");
  const Parts parts = parts_of(infer_request(target, kMetadata, TensorForm::binary, 1));
  EXPECT_EQ(parts.head.substr(0, 57), "POST /v2/models/m/infer HTTP/1.1\r\nHost: localhost:8000\r\nC");
  EXPECT_EQ(parts.message["inputs"][0]["shape"], nlohmann::json::parse("[1, 2, 3]"));
  EXPECT_EQ(parts.message["inputs"][0]["parameters"]["binary_data_size"], 24);
  EXPECT_EQ(parts.message["inputs"][1]["parameters"]["binary_data_size"], 32);
  ASSERT_EQ(parts.tensors.size(), 56U);
  for (std::size_t i = 0; i < 6; ++i) {
    float value = -1;
    std::memcpy(&value, parts.tensors.data() + 4 * i, 4);
    EXPECT_TRUE(value >= 0 && value <= 1) << value;
  }
}

TEST(LoadRequest, JsonHasTheNumbersThemselves) {
  const LoadTarget target = parse_load_target("localhost:8000/m");
  const Parts parts = parts_of(infer_request(target, kMetadata, TensorForm::json, 1));
  EXPECT_EQ(parts.tensors, "");
  EXPECT_EQ(parts.message["inputs"][0]["data"].size(), 6U);
  EXPECT_EQ(parts.message["inputs"][1]["data"].size(), 4U);
}

TEST(LoadRequest, WhatTheServerLacksIsNamed) {
  const LoadTarget target = parse_load_target("localhost:8000/m");
  const auto fault = [&](std::string_view metadata) -> std::string {
    try {
      infer_request(target, metadata, TensorForm::binary, 1);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(fault("<html>").find("Open Inference Protocol"), std::string::npos);
  EXPECT_NE(fault(R"({"inputs": [{"name": "x"}]})").find("lacks"), std::string::npos);
  EXPECT_NE(fault(R"({"inputs": [{"name": "x", "datatype": "BYTES", "shape": [1]}]})").find("BYTES"),
            std::string::npos);
  EXPECT_NE(fault(R"({"inputs": [{"name": "x", "datatype": "FP64", "shape": [-1, 1000000, 1000000]}]})").find("256 MB"),
            std::string::npos);
  EXPECT_NE(fault(R"({"inputs": [{"name": "x", "datatype": "FP64", "shape": [0]}]})").find("empty"), std::string::npos);
}

}  // namespace
}  // namespace stash
