#include "cnn_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <tuple>

#include "stash/catalog/csv.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/models/models.h"
#include "stash/predict/scaling.h"
#include "stash/predict/unpooled.h"

namespace stash::bench {
namespace {

constexpr std::size_t kFileLimit = 16 << 20;

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string name_here(const std::string& published) {
  const std::string name = lower(published);
  return name == "mobilenetv2" ? "mobilenet_v2" : name;
}

bool is_known(const std::string& model) {
  return std::ranges::any_of(model_table(), [&](const ModelEntry& entry) { return entry.name == model; });
}

}  // namespace

std::vector<CnnStep> read_cnn_steps(const std::filesystem::path& file) {
  const CsvTable table = parse_csv(read_file(file, kFileLimit), file.string());
  const auto column = [&](std::string_view name) {
    const auto found = std::ranges::find(table.header, name);
    if (found == table.header.end()) throw Error(fmt::format("{} has no column '{}'", file.string(), name));
    return static_cast<std::size_t>(found - table.header.begin());
  };
  const std::size_t gpu = column("gpu"), model = column("model"), size = column("image_size");
  const std::size_t batch = column("batch_size"), seconds = column("step_s_median");
  std::map<std::tuple<std::string, int, int>, CnnStep> steps;
  for (const CsvRow& row : table.rows) {
    const std::string name = name_here(row.fields[model]);
    if (!is_known(name)) continue;
    const int pixels = std::stoi(row.fields[size]), samples = std::stoi(row.fields[batch]);
    CnnStep& step = steps[{name, pixels, samples}];
    step.model = name;
    step.image_size = pixels;
    step.batch = samples;
    step.step_s[row.fields[gpu]] = std::stod(row.fields[seconds]);
  }
  std::vector<CnnStep> result;
  for (auto& [key, step] : steps) result.push_back(std::move(step));
  return result;
}

Graph graph_here(const CnnStep& step) {
  std::vector<std::string> assumptions;
  return graph_for_scaling(step.model, step.image_size, 0, assumptions);
}

Graph graph_measured(const CnnStep& step) {
  Graph graph = with_tensorflow_kernels(unpooled(graph_here(step)));
  return step.model.starts_with("resnet") ? with_biases(std::move(graph)) : graph;
}

}  // namespace stash::bench
