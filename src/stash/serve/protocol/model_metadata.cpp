#include "stash/serve/protocol/model_metadata.h"

#include <nlohmann/json.hpp>

#include "stash/core/profile_json.h"
#include "stash/core/version.h"

namespace stash {
namespace {

nlohmann::json tensor_json(const TensorSpec& spec) {
  nlohmann::json shape = nlohmann::json::array({-1});
  for (const std::int64_t one : spec.shape) shape.push_back(one);
  return {{"name", spec.name}, {"datatype", spec.type->name}, {"shape", shape}};
}

nlohmann::json tensors_json(const std::vector<TensorSpec>& specs) {
  nlohmann::json list = nlohmann::json::array();
  for (const TensorSpec& one : specs) list.push_back(tensor_json(one));
  return list;
}

}  // namespace

std::string server_metadata() {
  return dump_json({{"name", "stash"},
                    {"version", version_text()},
                    {"extensions", nlohmann::json::array({"binary_tensor_data", "model_repository"})}});
}

std::string model_metadata(const ServedModel& model) {
  return dump_json({{"name", model.name},
                    {"versions", nlohmann::json::array({"1"})},
                    {"platform", model.platform},
                    {"inputs", tensors_json(inputs_of(model))},
                    {"outputs", tensors_json(outputs_of(model))}});
}

}  // namespace stash
