#include "stash/serve/protocol/infer_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/serve/protocol/tensor_numbers.h"

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

std::string listed_names(const std::vector<TensorSpec>& specs) {
  std::string names;
  for (const TensorSpec& one : specs) names += (names.empty() ? "" : "', '") + one.name;
  return names;
}

const Json& inputs_in(const Json& message, const std::vector<TensorSpec>& specs) {
  const Json* const inputs = member(message, "inputs");
  if (inputs != nullptr && inputs->is_array() && inputs->size() == specs.size()) return *inputs;
  if (specs.size() == 1) refuse_message(fmt::format("'inputs' must be a list of one input, '{}'", specs[0].name));
  refuse_message(fmt::format("'inputs' must be a list of {} inputs: '{}'", specs.size(), listed_names(specs)));
}

std::size_t place_of(const Json& input, const std::vector<TensorSpec>& specs) {
  const Json* const name = member(input, "name");
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (name == nullptr || *name != specs[i].name) continue;
    const Json* const type = member(input, "datatype");
    if (type != nullptr && *type == specs[i].type->name) return i;
    refuse_message(fmt::format("input '{}' takes {}{}", specs[i].name, specs[i].type->name,
                               type != nullptr ? ", not " + dump_json(*type).substr(0, 40) : ""));
  }
  refuse_message(fmt::format("the model's input is '{}'", listed_names(specs)));
}

// Numbers in any nesting, in order.
void append_numbers(const Json& data, const TensorSpec& spec, std::string& bytes, std::size_t most) {
  if (data.is_array()) {
    for (const Json& one : data) append_numbers(one, spec, bytes, most);
    return;
  }
  if (!is_number_for(data, *spec.type)) {
    refuse_message(fmt::format("input '{}' takes numbers of type {}, not {}", spec.name, spec.type->name,
                               dump_json(data).substr(0, 40)));
  }
  if (bytes.size() >= most) refuse_message(fmt::format("input '{}' has more numbers than its shape", spec.name));
  append_number(data, *spec.type, bytes);
}

void read_output_wishes(const Json& message, const std::vector<TensorSpec>& specs, InferHead& head) {
  head.wants_bytes = flag_of(message, "binary_data_output");
  const Json* const outputs = member(message, "outputs");
  if (outputs == nullptr) return;
  if (!outputs->is_array() || outputs->size() > specs.size()) {
    refuse_message(specs.size() == 1 ? std::string("'outputs' must be a list of one output")
                                     : fmt::format("'outputs' must be a list of up to {} outputs", specs.size()));
  }
  if (outputs->empty()) return;
  head.outputs = 0;
  std::size_t as_bytes = 0;
  for (const Json& one : *outputs) {
    const Json* const name = member(one, "name");
    const auto spec =
        std::ranges::find_if(specs, [&](const TensorSpec& s) { return name != nullptr && *name == s.name; });
    if (spec == specs.end()) refuse_message(fmt::format("the model's output is '{}'", listed_names(specs)));
    head.outputs |= std::uint32_t{1} << (spec - specs.begin());
    const Json* const own = member(one, "parameters");
    const bool says = own != nullptr && member(*own, "binary_data") != nullptr;
    if (says ? flag_of(one, "binary_data") : head.wants_bytes) ++as_bytes;
  }
  if (as_bytes != 0 && as_bytes != outputs->size()) {
    refuse_message("ask for all outputs as bytes, or for none: 'binary_data' must be the same for all");
  }
  head.wants_bytes = as_bytes != 0;
}

std::string id_of(const Json& message) {
  const Json* const id = member(message, "id");
  if (id == nullptr) return {};
  if (!id->is_string() || id->get_ref<const std::string&>().size() > kMostIdBytes) {
    refuse_message(fmt::format("'id' must be a text of up to {} bytes", kMostIdBytes));
  }
  return id->get<std::string>();
}

std::size_t binary_size(const Json& input, const TensorSpec& spec, std::size_t expected) {
  const Json* const parameters = member(input, "parameters");
  const Json* const size = parameters != nullptr ? member(*parameters, "binary_data_size") : nullptr;
  if (size == nullptr) {
    refuse_message(fmt::format("input '{}' has neither 'data' nor the parameter 'binary_data_size'", spec.name));
  }
  if (!size->is_number_integer() || *size != expected) {
    refuse_message(fmt::format("input '{}' takes {} bytes; 'binary_data_size' is {}", spec.name, expected,
                               dump_json(*size).substr(0, 40)));
  }
  return expected;
}

void read_numbers(const Json& data, const TensorSpec& spec, std::size_t expected, std::string& bytes) {
  bytes.clear();
  append_numbers(data, spec, bytes, expected);
  if (bytes.size() == expected) return;
  const auto one = static_cast<std::size_t>(spec.type->bytes);
  refuse_message(fmt::format("input '{}' takes {} numbers, not {}", spec.name, expected / one, bytes.size() / one));
}

// True: the tensors' bytes follow the JSON in the model's order; else they are in `numbers`.
bool read_message(const ServedModel& model, std::string_view json, std::string_view rest, int most_rows,
                  InferMessage& message) {
  const Json parsed = parse_json(json, "the request");
  const std::vector<TensorSpec> specs = inputs_of(model);
  const Json& inputs = inputs_in(parsed, specs);
  message.head = {.id = id_of(parsed)};
  read_output_wishes(parsed, outputs_of(model), message.head);
  std::vector<std::string> tensors(specs.size());
  std::vector<bool> is_given(specs.size());
  std::size_t taken = 0;
  bool is_in_order = true;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const Json& input = inputs[i];
    const std::size_t place = place_of(input, specs);
    const TensorSpec& spec = specs[place];
    if (is_given[place]) refuse_message(fmt::format("input '{}' is given twice", spec.name));
    is_given[place] = true;
    const int rows = rows_in(input, spec, most_rows);
    if (i > 0 && rows != message.head.rows) refuse_message("all inputs must have the same number of samples");
    message.head.rows = rows;
    const std::size_t expected = static_cast<std::size_t>(rows) * spec.row_bytes();
    if (const Json* const data = member(input, "data")) {
      read_numbers(*data, spec, expected, tensors[place]);
      is_in_order = false;
      continue;
    }
    const std::size_t size = binary_size(input, spec, expected);
    if (size > rest.size() - taken) {
      refuse_message(fmt::format("input '{}' takes {} bytes, and {} bytes came", spec.name, size, rest.size() - taken));
    }
    if (specs.size() > 1) tensors[place] = rest.substr(taken, size);
    is_in_order = is_in_order && place == i;
    taken += size;
  }
  if (taken != rest.size()) {
    refuse_message(fmt::format("{} bytes came behind the JSON, and its inputs take {} of them", rest.size(), taken));
  }
  if (is_in_order) return true;
  message.numbers.clear();
  for (const std::string& one : tensors) message.numbers += one;
  return false;
}

Json numbers_of(const TensorSpec& spec, std::string_view rows) {
  Json data = Json::array();
  const auto bytes = static_cast<std::size_t>(spec.type->bytes);
  for (std::size_t at = 0; at + bytes <= rows.size(); at += bytes)
    data.push_back(number_at(rows.data() + at, *spec.type));
  return data;
}

// Calls take(spec, bytes) for every output that is asked for.
template <class Take>
void each_output(const ServedModel& model, const InferHead& head, std::string_view rows, const Take& take) {
  std::size_t at = 0;
  for (std::size_t i = 0; i <= model.more_outputs.size(); ++i) {
    const TensorSpec& spec = i == 0 ? model.output : model.more_outputs[i - 1];
    const std::size_t bytes = static_cast<std::size_t>(head.rows) * spec.row_bytes();
    if ((head.outputs >> i & 1) != 0) take(spec, rows.substr(at, bytes));
    at += bytes;
  }
}

}  // namespace

Refusal InferReader::read(const ServedModel& model, std::string_view body, std::size_t json_bytes, int most_rows,
                          InferMessage& message, std::uint64_t model_version) {
  const std::string_view json = body.substr(0, json_bytes);
  const std::string_view rest = body.substr(json_bytes);
  if (known_of_ == &model && known_version_ == model_version && json == known_json_ && known_.rows <= most_rows &&
      rest.size() == known_bytes_) {
    message.head = known_;
    message.tensor = rest;
    return {};
  }
  try {
    if (!read_message(model, json, rest, most_rows, message)) {
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
  known_version_ = model_version;
  known_bytes_ = rest.size();
  known_json_ = json;
  known_ = message.head;
  return {};
}

void append_infer_answer(std::string& out, const ServedModel& model, const InferHead& head, std::string_view rows,
                         bool stays_open) {
  // Names of models need no escapes; ids and names of tensors may.
  std::string json = fmt::format(R"({{"model_name":"{}","model_version":"1",)", model.name);
  if (!head.id.empty()) json += fmt::format(R"("id":{},)", dump_json(Json(head.id)));
  json += R"("outputs":[)";
  std::size_t tensors_bytes = 0;
  each_output(model, head, rows, [&](const TensorSpec& spec, std::string_view bytes) {
    if (json.back() == '}') json += ',';
    json += fmt::format(R"({{"name":{},"datatype":"{}","shape":[{})", dump_json(Json(spec.name)), spec.type->name,
                        head.rows);
    for (const std::int64_t one : spec.shape) json += fmt::format(",{}", one);
    if (head.wants_bytes) {
      json += fmt::format(R"(],"parameters":{{"binary_data_size":{}}}}})", bytes.size());
      tensors_bytes += bytes.size();
    } else {
      json += fmt::format(R"(],"data":{}}})", numbers_of(spec, bytes).dump());
    }
  });
  json += "]}";
  if (!head.wants_bytes) return append_answer(out, {.body = std::move(json), .stays_open = stays_open});
  append_tensor_head(out, json.size(), json.size() + tensors_bytes, stays_open);
  out += json;
  each_output(model, head, rows, [&](const TensorSpec&, std::string_view bytes) { out += bytes; });
}

}  // namespace stash
