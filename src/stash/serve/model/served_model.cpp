#include "stash/serve/model/served_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/models/models.h"
#include "stash/serve/model/forward_time.h"

namespace stash {
namespace {

constexpr std::string_view kSleep = "sleep:";
constexpr std::string_view kModule = "py:";
constexpr std::string_view kPackage = ".pt2";
constexpr std::int64_t kSleepValues = 16;
constexpr double kWeightBytes = 4;
// What pinned copies reach over PCIe 3 with 16 lanes, which the older of the GPUs have.
constexpr double kWeightBytesPerS = 12e9;

bool is_loss(const Layer& layer) { return layer.output.empty(); }

// "my_model" of "py:models/my_model.py:load", "a" of "models/a.pt2".
std::string file_stem(std::string_view spec) {
  if (spec.starts_with(kModule)) {
    spec.remove_prefix(kModule.size());
    spec = spec.substr(0, spec.rfind(':'));
  }
  return std::filesystem::path(spec).stem().string();
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._").find(c) != std::string_view::npos;
}

// What the loss looks at; of a language model the word that follows the last token.
Shape output_shape(const Graph& graph) {
  for (const Layer& layer : graph.layers) {
    if (!is_loss(layer) || layer.inputs.empty()) continue;
    const Shape& scores = graph.layers[static_cast<std::size_t>(layer.inputs.front())].output;
    return layer.op == Op::next_token_loss ? Shape{scores.back()} : scores;
  }
  return graph.layers.back().output;
}

std::vector<int> batches_up_to(int most) {
  std::vector<int> batches;
  for (int batch = 1; batch < most; batch *= 2) batches.push_back(batch);
  batches.push_back(most);
  return batches;
}

ServedModel make_network(const ModelSource& source, const Gpu& gpu, DType dtype, int most_batch) {
  const Graph graph = make_model(source.spec);
  const bool images = graph.input == InputKind::images;
  std::vector<BatchTime> times;
  for (const int batch : batches_up_to(most_batch)) times.push_back({batch, forward_time_s(graph, batch, dtype, gpu)});
  return {.name = source.name,
          .platform = fmt::format("{} on an emulated {}", graph.name, gpu.name),
          .input = {.name = "input",
                    .type = find_tensor_type(images ? "FP32" : "INT64"),
                    .shape = images ? Shape{3, graph.image_size, graph.image_size} : Shape{graph.seq_len}},
          .output = {.name = "output", .type = find_tensor_type("FP32"), .shape = output_shape(graph)},
          .times = BatchTimes(std::move(times)),
          .load_s = static_cast<double>(graph.parameter_count()) * kWeightBytes / kWeightBytesPerS};
}

ServedModel make_sleeper(const ModelSource& source) {
  const double s = parse_duration_s(std::string_view(source.spec).substr(kSleep.size()), "--model sleep:TIME");
  const TensorSpec values{.name = "input", .type = find_tensor_type("FP32"), .shape = {kSleepValues}};
  ServedModel model{
      .name = source.name, .platform = source.spec, .input = values, .output = values, .times = BatchTimes({{1, s}})};
  model.output.name = "output";
  return model;
}

}  // namespace

std::vector<TensorSpec> inputs_of(const ServedModel& model) {
  std::vector<TensorSpec> all{model.input};
  all.insert(all.end(), model.more_inputs.begin(), model.more_inputs.end());
  return all;
}

std::vector<TensorSpec> outputs_of(const ServedModel& model) {
  std::vector<TensorSpec> all{model.output};
  all.insert(all.end(), model.more_outputs.begin(), model.more_outputs.end());
  return all;
}

bool ModelSource::is_sleeper() const { return spec.starts_with(kSleep); }
bool ModelSource::is_file() const { return spec.starts_with(kModule) || spec.ends_with(kPackage); }

ModelSource parse_model_source(const std::string& text) {
  const std::size_t equals = text.find('=');
  // What stands before the first '=' is a name unless it looks like a file.
  const bool is_named = equals != std::string::npos &&
                        std::string_view(text).substr(0, equals).find_first_of("/:") == std::string_view::npos;
  ModelSource source{.name = is_named ? text.substr(0, equals) : text,
                     .spec = is_named ? text.substr(equals + 1) : text};
  if (!is_named && source.is_sleeper()) source.name = "sleep";
  if (!is_named && source.is_file()) source.name = file_stem(source.spec);
  if (source.name.empty() || source.name.size() > 100 || !std::ranges::all_of(source.name, is_name_character)) {
    throw UsageError(
        fmt::format("--model {}: a name has up to 100 letters, digits, '-', '_' and '.', like small=resnet18", text));
  }
  return source;
}

ServedModel make_served_model(const ModelSource& source, const Gpu& gpu, DType dtype, int most_batch) {
  if (source.is_sleeper()) return make_sleeper(source);
  return make_network(source, gpu, dtype, most_batch);
}

}  // namespace stash
