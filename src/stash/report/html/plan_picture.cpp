#include "stash/report/html/plan_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "stash/core/units.h"
#include "stash/report/html/chart_row.h"
#include "stash/report/html/charts.h"
#include "stash/report/html/svg.h"
#include "stash/report/layer_plan_report.h"

namespace stash {
namespace {

constexpr std::size_t kMostPictureRows = 60;
constexpr double kDevicesHeight = 24;
constexpr double kPictureText = 20;
constexpr double kStripHeight = 9;
constexpr double kPictureRoom = 8;

std::string_view class_of(PartitionType type) {
  constexpr std::array<std::string_view, 3> kClasses{"series-1", "series-2", "series-3"};
  return kClasses[static_cast<std::size_t>(type) - 1];
}

// What is beside what on a level: the first kind's share and the others', or the kinds.
struct Piece {
  double from = 0;
  double to = 0;
  std::string tip{};
};

class LayerPicture {
 public:
  explicit LayerPicture(const LayerAnswer& answer) : answer_(answer), plan_(answer.plans.best) {
    for (const DeviceKind& kind : answer.kinds) devices_ += kind.count();
  }

  std::string draw() const {
    const std::vector<LayerRun> runs = layer_runs(plan_);
    const std::size_t rows = std::min(runs.size(), kMostPictureRows);
    Svg svg(kDevicesHeight + row_height() * static_cast<double>(rows), "Layers over devices");
    draw_devices(svg);
    for (std::size_t i = 0; i < rows; ++i)
      draw_run(svg, runs[i], kDevicesHeight + row_height() * static_cast<double>(i));
    return svg.str();
  }

 private:
  double row_height() const {
    return kPictureText + kPictureRoom + kStripHeight * static_cast<double>(plan_.levels.size());
  }
  double percent(double devices) const { return 100 * devices / devices_; }

  void draw_devices(Svg& svg) const {
    double from = 0;
    for (const DeviceKind& kind : answer_.kinds) {
      svg.text(percent(from + kind.count() / 2.0), 14, kind.text(), Anchor::middle, "axis");
      from += kind.count();
    }
  }

  void draw_run(Svg& svg, const LayerRun& run, double top) const {
    const PlannedLayer& sum = run.sum;
    draw_row_text(svg, name_of(run, answer_.network),
                  fmt::format("{} computing, {} exchanging, {}", format_duration(sum.compute_s),
                              format_duration(sum.exchanged_s()), format_bytes(sum.exchanged_bytes)),
                  top);
    double y = top + kPictureText;
    for (std::size_t level = 0; level < plan_.levels.size(); ++level, y += kStripHeight) {
      const LayerSplit& split = plan_.levels[level].splits[run.first];
      for (const Piece& piece : pieces(level, split)) {
        svg.rect(percent(piece.from), y, std::max(0.0, percent(piece.to - piece.from) - 0.15), kStripHeight - 1,
                 class_of(split.type), piece.tip);
      }
    }
  }

  std::vector<Piece> pieces(std::size_t level, const LayerSplit& split) const {
    std::vector<Piece> found;
    const auto add = [&](double from, double to, double share, std::string_view of) {
      found.push_back(
          {from, to,
           fmt::format("level {}: type {}, {:.0f} % for {}", level + 1, to_string(split.type), 100 * share, of)});
    };
    if (level + 1 < answer_.kinds.size()) {
      // The kinds before this one have their part already.
      double before = 0;
      for (std::size_t k = 0; k < level; ++k) before += answer_.kinds[k].count();
      const DeviceKind& kind = answer_.kinds[level];
      const double border = before + split.ratio * (devices_ - before);
      add(before, border, split.ratio, kind.name);
      add(border, devices_, 1 - split.ratio, "the others");
      return found;
    }
    double from = 0;
    const std::size_t halving = level + 1 - (answer_.kinds.size() - 1);
    for (const DeviceKind& kind : answer_.kinds) {
      const double parts = std::min(std::pow(2.0, static_cast<double>(halving)), 8.0);
      const double width = kind.count() / parts;
      for (int part = 0; part < static_cast<int>(parts) && parts <= kind.count(); part += 2) {
        add(from + part * width, from + (part + 1) * width, split.ratio, "one half");
        add(from + (part + 1) * width, from + (part + 2) * width, 1 - split.ratio, "the other");
      }
      if (parts > kind.count()) add(from, from + kind.count(), 1, kind.name);
      from += kind.count();
    }
    return found;
  }

  const LayerAnswer& answer_;
  const LayerPlan& plan_;
  double devices_ = 0;
};

}  // namespace

std::string layers_over_devices(const LayerAnswer& answer) {
  const std::array entries{LegendEntry{"series-1", "I: batch"}, LegendEntry{"series-2", "II: input channels"},
                           LegendEntry{"series-3", "III: output channels"}};
  return legend(entries) + LayerPicture(answer).draw();
}

std::string stages_over_devices(const GptAnswer& answer) {
  constexpr double kStageHeight = 44;
  constexpr double kBlockTop = 20;
  constexpr double kBlockHeight = 18;
  const double stages = static_cast<double>(answer.stages.size());
  std::map<std::string, std::string> classes;
  std::vector<LegendEntry> entries;
  for (const PlannedStage& stage : answer.stages) {
    const std::string name = fmt::format("series-{}", classes.size() % 4 + 1);
    if (classes.try_emplace(stage.machine, name).second) entries.push_back({name, stage.machine});
  }
  const std::size_t rows = std::min(answer.stages.size(), kMostPictureRows);
  Svg svg(kStageHeight * static_cast<double>(rows), "Layers over the stages of the pipeline");
  int layer = 0;
  for (std::size_t s = 0; s < rows; ++s) {
    const PlannedStage& stage = answer.stages[s];
    const double top = kStageHeight * static_cast<double>(s);
    draw_row_text(svg, fmt::format("stage {}: layers {} to {}", s + 1, layer + 1, layer + stage.layers),
                  fmt::format("{} computing, {} exchanging, {} of memory ({:.0f} %)", format_duration(stage.compute_s),
                              format_duration(stage.tensor_s + stage.pipeline_s), format_bytes(stage.memory_bytes),
                              100 * stage.memory_ratio),
                  top);
    svg.rect(100 * static_cast<double>(s) / stages, top + kBlockTop, 100 / stages, kBlockHeight, classes[stage.machine],
             fmt::format("{}: {} layers, {} handed on and back per step", stage.machine, stage.layers,
                         format_bytes(stage.handed_bytes)));
    layer += stage.layers;
  }
  return legend(entries) + svg.str();
}

}  // namespace stash
