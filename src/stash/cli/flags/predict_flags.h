#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stash/catalog/instance.h"
#include "stash/predict/predict_job.h"
#include "stash/predict/what_if.h"

namespace CLI {
class App;
}

namespace stash {

// The job that is predicted: of a profile, or by its model; flags change what the profile says.
struct PredictFlags {
  std::string profile;
  std::optional<std::string> model;
  std::optional<int> batch;
  std::optional<int> global_batch;
  std::optional<int> image_size;
  std::optional<int> seq_len;
  std::optional<std::string> dtype;
  std::optional<double> samples;
  std::optional<std::string> sample_bytes;
  std::optional<std::string> sample_cpu;  // in Stash's own loader
  std::optional<std::string> loader;
  std::vector<std::string> measured;
  std::vector<std::string> changes;

  void add_job_to(CLI::App& app);  // all but --samples
  void add_to(CLI::App& app);
  // UsageError names the flag at fault; Error says what a profile lacks. `instances`: who --measured may name.
  PredictJob resolve(std::span<const Instance> instances) const;
  // UsageError names a key of --set that another flag gives as well.
  WhatIf what_if() const;

 private:
  PredictJob job_of_model(std::span<const Instance> instances) const;
  void set_sample(PredictJob& job) const;
  void set_loader(PredictJob& job) const;
};

// "1,2,4": whole numbers above 0.
std::vector<int> parse_counts(const std::string& list, std::string_view flag);

}  // namespace stash
