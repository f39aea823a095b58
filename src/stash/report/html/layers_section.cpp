#include <fmt/format.h>

#include <algorithm>

#include "stash/core/units.h"
#include "stash/report/html/charts.h"
#include "stash/report/html/html_table.h"
#include "stash/report/html/markup.h"
#include "stash/report/html/sections.h"

namespace stash {

namespace {

constexpr std::size_t kMostLayerBars = 12;
constexpr std::size_t kLayerTableBytes = 36'000;  // of the table: 180 layers

double time_of(const LayerTime& layer) { return layer.forward_s.value_or(0) + layer.backward_s.value_or(0); }

std::string chart_of(const std::vector<LayerTime>& layers) {
  std::vector<const LayerTime*> longest;
  for (const LayerTime& layer : layers) {
    if (time_of(layer) > 0) longest.push_back(&layer);
  }
  std::ranges::stable_sort(longest, std::ranges::greater{}, [](const LayerTime* layer) { return time_of(*layer); });
  const std::size_t timed = longest.size();
  longest.resize(std::min(timed, kMostLayerBars));
  std::vector<BarRow> rows;
  for (const LayerTime* layer : longest) {
    const std::string forward = format_duration(layer->forward_s.value_or(0));
    const std::string backward = format_duration(layer->backward_s.value_or(0));
    rows.push_back({layer->name,
                    format_duration(time_of(*layer)),
                    {{layer->forward_s.value_or(0), "series-1", layer->name + " forward: " + forward},
                     {layer->backward_s.value_or(0), "series-2", layer->name + " backward: " + backward}},
                    {}});
  }
  if (rows.empty()) return "";
  const std::vector<LegendEntry> entries{{"series-1", "forward"}, {"series-2", "backward"}};
  return figure(
      legend(entries) + bar_chart("The layers that take longest", rows, [](double s) { return format_duration(s); }),
      fmt::format("The {} of {} layers that take longest, each measured alone.", rows.size(), timed));
}

std::string table_of(const std::vector<LayerTime>& layers) {
  HtmlTable table("Layers of a step, in order",
                  {"layer", "kind", "forward, µs", "backward, µs", "operations, 10⁹", "parameters"}, kLayerTableBytes);
  for (const LayerTime& layer : layers) {
    const auto us = [](std::optional<double> s) { return number_cell(s ? std::optional(*s * 1e6) : std::nullopt, 1); };
    table.add({layer.name,
               layer.op,
               us(layer.forward_s),
               us(layer.backward_s),
               number_cell((layer.forward_ops + layer.backward_ops) * 1e-9, 3),
               {format_count(layer.parameters), static_cast<double>(layer.parameters)}});
  }
  return table.empty() ? "" : table.folded();
}

}  // namespace

Section layers_section(const Report& report) {
  return {"layers", "Layers", chart_of(report.profile.layers) + table_of(report.profile.layers)};
}

}  // namespace stash
