#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/cli/flags/split_flags.h"
#include "stash/plan/gpt_answer.h"
#include "stash/plan/layer_answer.h"

namespace CLI {
class App;
}

namespace stash {

// What is to be split over which devices.
class PlanFlags {
 public:
  void add_to(CLI::App& app);

  bool is_published() const;       // the published program's cost was asked for
  bool is_language_model() const;  // gpt:…: not layer by layer
  LayerAnswer published() const;
  LayerAnswer layers(std::span<const Instance> instances) const;
  GptAnswer language_model(std::span<const Instance> instances) const;

 private:
  void check_model() const;
  int batch() const;
  std::vector<PlannedDevices> devices(std::span<const Instance> instances) const;
  WhatIf what_if() const;
  LayerJob layer_job(std::span<const PlannedDevices> devices) const;

  std::string profile_;
  std::optional<std::string> model_;
  std::optional<int> batch_;
  std::string on_;
  std::optional<int> nodes_;
  std::optional<std::string> network_, links_, dtype_, cost_;
  std::optional<int> levels_;
  std::optional<double> smallest_ratio_;
  std::optional<int> image_size_;
  int top_ = 10;
  SplitFlags split_;
};

}  // namespace stash
