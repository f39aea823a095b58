#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stash/core/format.h"

namespace stash {

class SplitFlags;
struct Instance;
struct PoolSeat;
struct PredictFlags;
struct Predictions;
struct ReportOptions;
struct ServeBenchFiles;
struct ThisMachine;
struct ThisMachineOptions;

// What verbs of the first program need of the rest of the program now and then (CONTRIBUTING.md). In the first program
// each of these throws RestIsNeeded.
struct RestOfProgram {
  Predictions (*predict_splits)(const PredictFlags& job, const SplitFlags& split, const std::string& on,
                                const std::string& nodes, std::optional<int> gpus, std::span<const Instance> instances);
  int (*run_shared_script)(const std::vector<std::string>& command, const PoolSeat& seat);
  std::string (*render_battery_folder)(const std::string& folder, Format format, std::optional<double> usd_per_hour,
                                       const ReportOptions& options);
  std::string (*render_serve_bench_file)(const std::string& file, Format format, std::optional<double> usd_per_hour,
                                         const ReportOptions& options);
  int (*compare_serve_benches)(const ServeBenchFiles& files, Format format, const std::string& out);
  ThisMachine (*describe_this_machine)(const ThisMachineOptions& options, const std::string& date,
                                       const std::function<void(std::string_view)>& tell);
};

}  // namespace stash
