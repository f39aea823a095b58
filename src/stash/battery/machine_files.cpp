#include "stash/battery/machine_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "stash/battery/micro_decode.h"
#include "stash/battery/micro_memory.h"
#include "stash/battery/micro_storage.h"
#include "stash/battery/this_machine.h"
#include "stash/catalog/instance_csv.h"
#include "stash/core/dates.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/profile_json.h"
#include "stash/core/words.h"
#include "stash/launch/machine_info.h"
#include "stash/launch/process/affinity.h"

namespace stash {
namespace {

std::optional<MeasuredRate> rate_of(const std::vector<Figure>& figures, std::string_view name,
                                    std::string_view setting) {
  const Figure* const figure = find_figure(figures, name, setting);
  if (figure == nullptr || !figure->median || !figure->low || !figure->high) return std::nullopt;
  return MeasuredRate{*figure->median, *figure->low, *figure->high};
}

const CaseResult* with_most_ranks(const BatterySummary& summary) {
  const auto finished = finished_cases(summary);
  const auto most = std::ranges::max_element(finished, {}, [](const CaseResult* one) { return one->of.job.ranks; });
  return most == finished.end() ? nullptr : *most;
}

// With emulated GPUs the row is of a machine that has them, and is named so.
ThisMachineOptions options_of(const BatteryFolder& folder, const BatterySummary& summary, const CaseResult& most) {
  ThisMachineOptions options;
  options.name = summary.name;
  if (summary.usd_per_h) options.usd_per_h = *summary.usd_per_h / summary.machines.value_or(1);
  options.storage = folder.path();
  options.profile = read_profile(folder.profile_file(most.of.name));
  options.decode_samples_per_s = rate_of(summary.figures, "decode", "threads=1");
  options.storage_bytes_per_s = rate_of(summary.figures, "storage_sequential", "cold");
  if (const JobDevice& device = most.of.job.device; device.is_emulated()) {
    options.gpu = device.gpu();
    options.gpus = most.of.job.ranks / most.of.nodes;
    options.name += fmt::format("-with-{}-{}", *options.gpus, lower_case(options.gpu));
  }
  return options;
}

}  // namespace

std::vector<Figure> measure_figures(const std::filesystem::path& storage,
                                    const std::function<void(std::string_view)>& tell,
                                    const std::function<bool()>& stop) {
  const int cores = static_cast<int>(allowed_cores().size());
  std::vector<Figure> figures;
  const auto add = [&](std::string_view what, const auto& measure) {
    if (stop()) return false;
    tell(what);
    std::ranges::move(measure(), std::back_inserter(figures));
    return true;
  };
  const bool whole = add("timing memory …", [&] { return measure_memory(cores); }) &&
                     add("timing decoding …", [&] { return measure_decoding(cores); }) &&
                     add("timing storage …", [&] { return measure_storage(storage); });
  if (!whole || stop()) return {};
  return figures;
}

void write_machine_files(const BatteryFolder& folder, const BatterySummary& summary) {
  // Without the measured ones it would pass for whole.
  const bool measured = find_figure(summary.figures, "memory_triad", "threads=1") != nullptr;
  if (measured) write_file_atomically(folder.file("machine.json"), to_json_text(summary.figures));
  const CaseResult* const most = with_most_ranks(summary);
  if (most == nullptr) return;
  const ThisMachine machine =
      describe_this_machine(options_of(folder, summary, *most), today(), [](std::string_view) {});
  write_file_atomically(folder.file("machine.csv"), instances_csv({&machine.instance, 1}));
}

}  // namespace stash
