#include "stash/models/listing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>

#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/models/models.h"

namespace stash {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

constexpr int kListSchemaVersion = 1;
constexpr std::int64_t kGradientElementBytes = 4;  // gradients are kept and exchanged in fp32

std::string format_giga(double ops) { return fmt::format("{:.2f}", ops * 1e-9); }

std::string format_shape(const Shape& shape, std::string_view between) {
  return fmt::format("{}", fmt::join(shape, between));
}

// Columns as wide as their widest cell; those in `left` are words and start at the left.
std::string format_table(const std::vector<Row>& rows, std::span<const std::size_t> left) {
  std::vector<std::size_t> widths(rows.at(0).size(), 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool is_left = std::ranges::find(left, i) != left.end();
      line += fmt::format(fmt::runtime(is_left ? "{:<{}}  " : "{:>{}}  "), row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

Json to_json(const ModelSummary& model) {
  return {{"name", model.name},
          {"description", model.description},
          {"parameters", model.parameters},
          {"gradient_bytes", model.gradient_bytes},
          {"operations_per_sample", model.operations_per_sample},
          {"layers", model.layers}};
}

Json to_json(const Layer& layer) {
  return {{"name", layer.name},
          {"op", to_string(layer.op)},
          {"output", layer.output},
          {"parameters", layer.parameter_count()},
          {"forward_operations", layer.cost.forward_ops},
          {"backward_operations", layer.cost.backward_ops},
          {"forward_elements", layer.cost.forward_elements},
          {"backward_elements", layer.cost.backward_elements}};
}

std::string models_text(std::span<const ModelSummary> models) {
  std::vector<Row> rows{{"model", "parameters", "gradients", "Gop/sample", "layers", "description"}};
  for (const ModelSummary& m : models) {
    rows.push_back({m.name, format_count(m.parameters), format_bytes(static_cast<double>(m.gradient_bytes)),
                    format_giga(m.operations_per_sample), fmt::format("{}", m.layers), m.description});
  }
  return format_table(rows, std::array<std::size_t, 2>{0, 5});
}

std::string models_csv(std::span<const ModelSummary> models) {
  std::string text = "name,parameters,gradient_bytes,operations_per_sample,layers,description\n";
  for (const ModelSummary& m : models) {
    text += fmt::format("{},{},{},{:.0f},{},\"{}\"\n", m.name, m.parameters, m.gradient_bytes, m.operations_per_sample,
                        m.layers, m.description);
  }
  return text;
}

std::string models_json(std::span<const ModelSummary> models) {
  Json list = Json::array();
  for (const ModelSummary& model : models) list.push_back(to_json(model));
  return Json{{"schema_version", kListSchemaVersion}, {"models", list}}.dump(2) + '\n';
}

std::string layers_text(const Graph& graph) {
  std::vector<Row> rows{{"layer", "op", "output", "parameters", "Mop/sample"}};
  for (const Layer& layer : graph.layers) {
    rows.push_back({layer.name, std::string(to_string(layer.op)), format_shape(layer.output, "x"),
                    format_count(layer.parameter_count()), fmt::format("{:.2f}", layer.cost.forward_ops * 1e-6)});
  }
  const std::string total =
      fmt::format("{}: {} parameters, {} Gop per sample forward, {} backward, {} layers\n", graph.name,
                  format_count(graph.parameter_count()), format_giga(graph.forward_ops()),
                  format_giga(graph.backward_ops()), graph.layers.size());
  return total + format_table(rows, std::array<std::size_t, 3>{0, 1, 2});
}

std::string layers_csv(const Graph& graph) {
  std::string text =
      "name,op,output,parameters,forward_operations,backward_operations,forward_elements,backward_elements\n";
  for (const Layer& layer : graph.layers) {
    const Cost& cost = layer.cost;
    text += fmt::format("{},{},{},{},{:.0f},{:.0f},{:.0f},{:.0f}\n", layer.name, to_string(layer.op),
                        format_shape(layer.output, "x"), layer.parameter_count(), cost.forward_ops, cost.backward_ops,
                        cost.forward_elements, cost.backward_elements);
  }
  return text;
}

std::string layers_json(const Graph& graph) {
  Json layers = Json::array();
  for (const Layer& layer : graph.layers) layers.push_back(to_json(layer));
  return Json{{"schema_version", kListSchemaVersion},
              {"name", graph.name},
              {"parameters", graph.parameter_count()},
              {"gradient_bytes", graph.parameter_count() * kGradientElementBytes},
              {"operations_per_sample", graph.forward_ops()},
              {"layers", layers}}
             .dump(2) +
         '\n';
}

}  // namespace

std::vector<ModelSummary> summarize_models() {
  std::vector<ModelSummary> models;
  for (const ModelEntry& entry : model_table()) {
    const Graph graph = make_model(entry.name);
    const std::int64_t parameters = graph.parameter_count();
    models.push_back({std::string(entry.name), std::string(entry.description), parameters,
                      parameters * kGradientElementBytes, graph.forward_ops(),
                      static_cast<std::int64_t>(graph.layers.size())});
  }
  return models;
}

std::string format_models(std::span<const ModelSummary> models, Format format) {
  if (format == Format::csv) return models_csv(models);
  return format == Format::json ? models_json(models) : models_text(models);
}

std::string format_layers(const Graph& graph, Format format) {
  if (format == Format::csv) return layers_csv(graph);
  return format == Format::json ? layers_json(graph) : layers_text(graph);
}

}  // namespace stash
