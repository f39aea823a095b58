#include "stash/serve/protocol/infer_message.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "stash/core/error.h"
#include "stash/core/profile_json.h"

namespace stash {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostIdBytes = 256;

struct Refused {
  Refusal refusal;
};
[[noreturn]] void refuse_message(std::string why) { throw Refused{{400, std::move(why)}}; }

const Json* member(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

bool flag_of(const Json& object, const char* key) {
  const Json* const parameters = member(object, "parameters");
  const Json* const value = parameters != nullptr ? member(*parameters, key) : nullptr;
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

std::string shape_text(const TensorSpec& spec) {
  std::string text = "[N";
  for (const std::int64_t one : spec.shape) text += fmt::format(", {}", one);
  return text + "]";
}

int rows_in(const Json& input, const TensorSpec& spec, int most_rows) {
  const Json* const shape = member(input, "shape");
  bool fits = shape != nullptr && shape->is_array() && shape->size() == spec.shape.size() + 1;
  for (std::size_t i = 0; fits && i <= spec.shape.size(); ++i) {
    const Json& one = (*shape)[i];
    fits = one.is_number_integer() && (i == 0 || one == spec.shape[i - 1]);
  }
  if (!fits) {
    refuse_message(fmt::format("input '{}' must have the shape {}{}", spec.name, shape_text(spec),
                               shape != nullptr ? fmt::format(", not {}", dump_json(*shape).substr(0, 100)) : ""));
  }
  const Json& rows = (*shape)[0];
  if (rows < 1 || rows > most_rows) {
    refuse_message(
        fmt::format("a request takes 1 to {} samples here, not {}: send several requests", most_rows, dump_json(rows)));
  }
  return rows.get<int>();
}

const Json& only_input(const Json& message, const TensorSpec& spec) {
  const Json* const inputs = member(message, "inputs");
  if (inputs == nullptr || !inputs->is_array() || inputs->size() != 1) {
    refuse_message(fmt::format("'inputs' must be a list of one input, '{}'", spec.name));
  }
  const Json& input = inputs->front();
  const Json* const name = member(input, "name");
  if (name == nullptr || *name != spec.name) refuse_message(fmt::format("the model's input is '{}'", spec.name));
  const Json* const type = member(input, "datatype");
  if (type == nullptr || *type != spec.type->name) {
    refuse_message(fmt::format("input '{}' takes {}{}", spec.name, spec.type->name,
                               type != nullptr ? ", not " + dump_json(*type).substr(0, 40) : ""));
  }
  return input;
}

// Numbers in any nesting, in order.
void append_numbers(const Json& data, const TensorSpec& spec, std::string& bytes, std::size_t most) {
  if (data.is_array()) {
    for (const Json& one : data) append_numbers(one, spec, bytes, most);
    return;
  }
  if (!data.is_number() || (!spec.type->is_float && !data.is_number_integer())) {
    refuse_message(fmt::format("input '{}' takes numbers of type {}, not {}", spec.name, spec.type->name,
                               dump_json(data).substr(0, 40)));
  }
  if (bytes.size() >= most) refuse_message(fmt::format("input '{}' has more numbers than its shape", spec.name));
  if (spec.type->is_float) {
    const auto number = static_cast<float>(data.get<double>());
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  } else {
    const auto number = data.get<std::int64_t>();
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
}

bool asks_for_bytes(const Json& message, const TensorSpec& output) {
  const Json* const outputs = member(message, "outputs");
  if (outputs == nullptr) return flag_of(message, "binary_data_output");
  if (!outputs->is_array() || outputs->size() > 1) refuse_message("'outputs' must be a list of one output");
  if (outputs->empty()) return flag_of(message, "binary_data_output");
  const Json* const name = member(outputs->front(), "name");
  if (name == nullptr || *name != output.name) refuse_message(fmt::format("the model's output is '{}'", output.name));
  const Json* const own = member(outputs->front(), "parameters");
  if (own == nullptr || member(*own, "binary_data") == nullptr) return flag_of(message, "binary_data_output");
  return flag_of(outputs->front(), "binary_data");
}

std::string id_of(const Json& message) {
  const Json* const id = member(message, "id");
  if (id == nullptr) return {};
  if (!id->is_string() || id->get_ref<const std::string&>().size() > kMostIdBytes) {
    refuse_message(fmt::format("'id' must be a text of up to {} bytes", kMostIdBytes));
  }
  return id->get<std::string>();
}

// True: the tensor's bytes follow the JSON; else its numbers were in it.
bool read_message(const ServedModel& model, std::string_view json, std::size_t bytes_behind, int most_rows,
                  InferMessage& message) {
  const Json parsed = parse_json(json, "the request");
  const Json& input = only_input(parsed, model.input);
  message.head = {.id = id_of(parsed),
                  .rows = rows_in(input, model.input, most_rows),
                  .wants_bytes = asks_for_bytes(parsed, model.output)};
  const std::size_t expected = static_cast<std::size_t>(message.head.rows) * model.input.row_bytes();
  const Json* const data = member(input, "data");
  if (data == nullptr) {
    const Json* const parameters = member(input, "parameters");
    const Json* const size = parameters != nullptr ? member(*parameters, "binary_data_size") : nullptr;
    if (size == nullptr) refuse_message("the input has neither 'data' nor the parameter 'binary_data_size'");
    if (!size->is_number_integer() || *size != expected || bytes_behind != expected) {
      refuse_message(fmt::format("input '{}' takes {} bytes; 'binary_data_size' is {}, and {} bytes came",
                                 model.input.name, expected, dump_json(*size).substr(0, 40), bytes_behind));
    }
    return true;
  }
  if (bytes_behind > 0) refuse_message("the input has 'data', and bytes came behind the JSON as well");
  message.numbers.clear();
  append_numbers(*data, model.input, message.numbers, expected);
  if (message.numbers.size() != expected) {
    refuse_message(fmt::format("input '{}' takes {} numbers, not {}", model.input.name,
                               expected / static_cast<std::size_t>(model.input.type->bytes),
                               message.numbers.size() / static_cast<std::size_t>(model.input.type->bytes)));
  }
  return false;
}

Json numbers_of(const TensorSpec& spec, std::string_view rows) {
  Json data = Json::array();
  const auto bytes = static_cast<std::size_t>(spec.type->bytes);
  for (std::size_t at = 0; at + bytes <= rows.size(); at += bytes) {
    if (spec.type->is_float) {
      float number = 0;
      std::memcpy(&number, rows.data() + at, sizeof number);
      data.push_back(std::isfinite(number) ? Json(number) : Json());
    } else {
      std::int64_t number = 0;
      std::memcpy(&number, rows.data() + at, sizeof number);
      data.push_back(number);
    }
  }
  return data;
}

}  // namespace

Refusal InferReader::read(const ServedModel& model, std::string_view body, std::size_t json_bytes, int most_rows,
                          InferMessage& message) {
  const std::string_view json = body.substr(0, json_bytes);
  const std::string_view rest = body.substr(json_bytes);
  if (known_of_ == &model && json == known_json_ && known_.rows <= most_rows &&
      rest.size() == static_cast<std::size_t>(known_.rows) * model.input.row_bytes()) {
    message.head = known_;
    message.tensor = rest;
    return {};
  }
  try {
    if (!read_message(model, json, rest.size(), most_rows, message)) {
      message.tensor = message.numbers;
      return {};
    }
  } catch (const Refused& refused) {
    return refused.refusal;
  } catch (const Error& error) {
    return {400, error.what()};
  }
  message.tensor = rest;
  known_of_ = &model;
  known_json_ = json;
  known_ = message.head;
  return {};
}

void append_infer_answer(std::string& out, const ServedModel& model, const InferHead& head, std::string_view rows,
                         bool stays_open) {
  // Names of models need no escapes, ids may.
  std::string json = fmt::format(R"({{"model_name":"{}","model_version":"1",)", model.name);
  if (!head.id.empty()) json += fmt::format(R"("id":{},)", dump_json(Json(head.id)));
  json += fmt::format(R"("outputs":[{{"name":"{}","datatype":"{}","shape":[{})", model.output.name,
                      model.output.type->name, head.rows);
  for (const std::int64_t one : model.output.shape) json += fmt::format(",{}", one);
  if (!head.wants_bytes) {
    json += fmt::format(R"(],"data":{}}}]}})", numbers_of(model.output, rows).dump());
    return append_answer(out, {.body = std::move(json), .stays_open = stays_open});
  }
  json += fmt::format(R"(],"parameters":{{"binary_data_size":{}}}}}]}})", rows.size());
  append_tensor_head(out, json.size(), json.size() + rows.size(), stays_open);
  out += json;
  out += rows;
}

}  // namespace stash
