#include "stash/report/prediction_extras.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "stash/attribute/steady_fetch.h"
#include "stash/core/units.h"
#include "stash/report/ledger_json.h"
#include "stash/report/printable.h"

namespace stash {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kWorthRatio = 0.005;   // of a step: less is not worth a line
constexpr double kShownRatio = 0.0005;  // less reads as 0.0 %

std::string saved(double s) { return fmt::format("{} {}", s < 0 ? "costs" : "saves", format_duration(std::abs(s))); }

std::string counted(int count, const char* one, const char* more) {
  return fmt::format("{} {}", count, count == 1 ? one : more);
}

std::string job_line(const Prediction& prediction) {
  return fmt::format("{} per GPU and pass, {} per step, {}, {}, about {} of memory on each GPU",
                     counted(prediction.batch, "sample", "samples"), counted(prediction.accumulation, "pass", "passes"),
                     counted(prediction.gpus, "GPU", "GPUs"), prediction.dtype, format_bytes(prediction.memory_bytes));
}

void add_saving(std::vector<std::string>& lines, const Prediction& prediction) {
  if (prediction.changes.empty()) return;
  lines.push_back(fmt::format("{}: {}", printable(prediction.changes), job_line(prediction)));
  if (!prediction.why_not_before.empty()) lines.push_back("without that: " + printable(prediction.why_not_before));
  if (!prediction.saving) return;
  const Saving& saving = *prediction.saving;
  const double before_s = steady_step_s(prediction.ledger) + saving.step_s;
  if (std::abs(saving.step_s) < kShownRatio * before_s) return lines.push_back("that saves nothing");
  std::string line =
      fmt::format("that {} per step{} ({:.1f} %)", saved(saving.step_s),
                  saving.samples_ratio == 1 ? "" : " of as many samples", 100 * std::abs(saving.step_s) / before_s);
  if (saving.epoch_s) line += fmt::format(", {} per epoch", format_duration(std::abs(*saving.epoch_s)));
  if (saving.epoch_usd) line += fmt::format(", ${:.2f} per epoch at the same price", std::abs(*saving.epoch_usd));
  lines.push_back(std::move(line));
}

// How the model is split, and what that costs.
void add_split(std::vector<std::string>& lines, const Prediction& prediction) {
  if (!prediction.split) return;
  const ModelSplit& split = *prediction.split;
  std::string line = fmt::format("data {} x tensor {} x pipeline {}: {}", split.data, split.tensor, split.pipeline,
                                 job_line(prediction));
  std::string costs;
  for (const GroupTime& group : prediction.ledger.communication) {
    if (group.exposed)
      costs += fmt::format("{}{} {}", costs.empty() ? "" : ", ", group.name, format_duration(group.exposed->s));
  }
  lines.push_back(std::move(line));
  if (!costs.empty()) lines.push_back(fmt::format("of every step: {}", costs));
}

void add_worth(std::vector<std::string>& lines, const Prediction& prediction) {
  if (prediction.worth.empty()) return;
  const double step_s = steady_step_s(prediction.ledger);
  const std::size_t before = lines.size();
  for (const Worth& worth : prediction.worth) {
    if (std::abs(worth.saved_s) < kWorthRatio * step_s) continue;
    lines.push_back(fmt::format("{}, {}: {} per step ({:.1f} %)", worth.resource, worth.more, saved(worth.saved_s),
                                100 * std::abs(worth.saved_s) / step_s));
  }
  if (lines.size() > before) return;
  lines.push_back("more network, links, storage, cache, cores or workers would save next to nothing");
}

void add_needs(std::vector<std::string>& lines, const Prediction& prediction) {
  if (!prediction.needs) return;
  const InputNeeds& needs = *prediction.needs;
  std::string line = fmt::format(
      "so that no GPU waits for input: {:.1f} cores for each GPU that decode, {}/s of storage "
      "for each node",
      needs.cores_per_gpu, format_bytes(needs.storage_bytes_per_s));
  if (needs.cache_bytes) {
    line += fmt::format(", or with the present storage a cache of {} on each", format_bytes(*needs.cache_bytes));
  }
  lines.push_back(std::move(line));
}

Json worth_json(const Prediction& prediction) {
  Json rows = Json::array();
  for (const Worth& worth : prediction.worth) {
    rows.push_back({{"resource", worth.resource}, {"more", worth.more}, {"saved_s", json_number(worth.saved_s)}});
  }
  return rows;
}

}  // namespace

std::vector<std::string> extra_lines(const Prediction& prediction) {
  std::vector<std::string> lines;
  add_split(lines, prediction);
  add_saving(lines, prediction);
  add_worth(lines, prediction);
  add_needs(lines, prediction);
  return lines;
}

std::string render_extras(const Prediction& prediction) {
  std::string text;
  for (const std::string& line : extra_lines(prediction)) text += fmt::format("  {}\n", line);
  if (text.empty()) return "";
  return fmt::format("\n{} x {}\n{}", prediction.nodes, printable(prediction.instance), text);
}

void add_extras(nlohmann::ordered_json& row, const Prediction& prediction) {
  if (prediction.split) {
    row["data"] = prediction.split->data;
    row["tensor"] = prediction.split->tensor;
    row["pipeline"] = prediction.split->pipeline;
  }
  if (!prediction.changes.empty()) row["changes"] = prediction.changes;
  if (prediction.saving) {
    row["saving"] = {{"step_s", json_number(prediction.saving->step_s)},
                     {"epoch_s", json_number(prediction.saving->epoch_s)},
                     {"epoch_usd", json_number(prediction.saving->epoch_usd)}};
  }
  if (!prediction.worth.empty()) row["worth"] = worth_json(prediction);
  if (prediction.needs) {
    row["needs"] = {{"cores_per_gpu", json_number(prediction.needs->cores_per_gpu)},
                    {"storage_bytes_per_s", json_number(prediction.needs->storage_bytes_per_s)},
                    {"cache_bytes", json_number(prediction.needs->cache_bytes)}};
  }
}

}  // namespace stash
